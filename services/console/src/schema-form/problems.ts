import { RequestFailure } from '../api/failure.ts';
import type { EditorProblem } from '../editor/text-editor.tsx';
import { placeOfMessage } from '../json/place.ts';

/** After a pause in typing, the API says what it thinks of a schema. */
export const pauseMs = 500;

/** What the API says of a schema: why it is refused, or what is probably a slip. */
export function problemsOf(text: string, warnings: string[] = [], failure: Error | null): EditorProblem[] {
  const isOfSchema = failure instanceof RequestFailure && failure.kind === 'InvalidSchemaError';
  const problem = (severity: EditorProblem['severity']) => (message: string) => ({
    ...placeOfMessage(text, message),
    message,
    severity,
  });
  return [
    ...(isOfSchema ? [failure.message] : []).map(problem('error')),
    ...warnings.map(problem('warning')),
  ];
}

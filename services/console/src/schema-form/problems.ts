import { ApiFailure } from '../api/failure.ts';
import type { Problem } from '../json/json-editor.tsx';
import { placeOfMessage } from '../json/place.ts';

/** After a pause in typing, the API says what it thinks of a schema. */
export const pauseMs = 500;

/** What the API says of a schema: why it is refused, or what is probably a slip. */
export function problemsOf(text: string, warnings: string[] = [], failure: Error | null): Problem[] {
  const isOfSchema = failure instanceof ApiFailure && failure.kind === 'InvalidSchemaError';
  const problem = (severity: Problem['severity']) => (message: string) => ({
    ...placeOfMessage(text, message),
    message,
    severity,
  });
  return [
    ...(isOfSchema ? [failure.message] : []).map(problem('error')),
    ...warnings.map(problem('warning')),
  ];
}

import { readPayload } from '../payloads/read-payload.ts';

const inexact = new Set(['exactNumber', 'uniqueKeys']);

/** A number that no double holds, or a key twice, would mean something else than it says: why the schema is refused. */
export function findInexact(schema: string): string | undefined {
  const reading = readPayload(Buffer.from(schema));
  if (reading.ok || reading.kind !== 'inexact') return undefined;
  const issue = reading.issues.find(({ keyword }) => inexact.has(keyword));
  return issue && `${issue.message}, at ${issue.path}`;
}

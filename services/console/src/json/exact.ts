import { failureOf } from '../api/failure.ts';
import { cutDepth } from './cut-depth.ts';

interface Source {
  source?: string;
}
/** Not in the types of TypeScript yet; a browser that lacks it rounds such numbers. */
const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown };

/** A number that would be shown with other digits stays as it was sent. */
function keepDigits(_key: string, value: unknown, context?: Source): unknown {
  const isSame =
    typeof value !== 'number' || context?.source === undefined || String(value) === context.source;
  return isSame || !rawJSON ? value : rawJSON(context.source as string);
}

/** Like `JSON.parse`, but `toText` writes each number as it is in the text, and levels that are too deep to be shown are cut off. */
export const parseExact = (text: string): unknown =>
  JSON.parse(cutDepth(text), keepDigits as (key: string, value: unknown) => unknown);

/** A payload as people read it. What is cut off came as a string: the beginning of its JSON text. */
export const toText = (payload: unknown): string =>
  typeof payload === 'string' ? payload : (JSON.stringify(payload, null, 2) ?? '');

interface Sent {
  data?: string;
  error?: unknown;
  response: Response;
}

/** The data of an answer with payloads, which was read with `parseAs: 'text'`. Throws ApiFailure. */
export async function exactDataOf<T>(sent: Promise<Sent>): Promise<T> {
  const { data, error, response } = await sent;
  if (data === undefined) throw failureOf(response, error);
  return (parseExact(data) as { data: T }).data;
}

/** For queries of exact data: TanStack Query shares what is equal, and would make plain objects of numbers as they were sent. */
export const unshared = { structuralSharing: false } as const;

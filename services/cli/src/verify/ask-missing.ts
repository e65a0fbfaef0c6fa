import { memberText } from '@sluice/json/member-text.ts';
import { parseExactJson } from '@sluice/json/parse-json.ts';
import type { Context } from '../context.ts';

/** So many values are asked for at once. */
export const mostAsked = { values: 10_000, bytes: 1024 ** 2 };

/** The same for texts of the same value: `1e2` is `100`. */
const nameOf = (value: unknown): string => `${typeof value} ${String(value)}`;

/** Whether the value with this text is missing, for values that the server does not have. */
export async function askMissing(
  { api, path, retry }: Context,
  values: string[],
): Promise<(text: string) => boolean> {
  const body = Buffer.from(`{"values":[${values.join(',')}]}`);
  const headers = { 'content-type': 'application/json' };
  const { text } = await retry(() => api.ask('POST', path('/data/missing'), { body, headers }));
  // The text has all digits of the numbers.
  const missing = parseExactJson(memberText(text, 'missing') ?? '[]') as unknown[];
  const names = new Set(missing.map(nameOf));
  return (value) => names.has(nameOf(parseExactJson(value)));
}

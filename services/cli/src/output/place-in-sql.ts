import type { ApiFailure } from '../api/answer.ts';

/** So much of a long line is shown. */
const most = 100;

/** The failure of a question with the line of its SQL that is wrong, and a mark below the column. */
export function withPlace(failure: ApiFailure, sql: string): ApiFailure {
  const [{ line, column } = {}] = failure.details;
  const found = line === undefined ? undefined : sql.split('\n')[line - 1];
  if (found === undefined || column === undefined) return failure;
  const from = Math.max(0, column - most / 2);
  const shown = found.slice(from, from + most);
  const before = shown.slice(0, column - 1 - from).replaceAll(/[^\t]/g, ' ');
  failure.message += `\n  ${shown}\n  ${before}^`;
  return failure;
}

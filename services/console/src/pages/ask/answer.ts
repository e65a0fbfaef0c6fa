import { client, type Schemas } from '../../api/client.ts';
import { failureOf, RequestFailure } from '../../api/failure.ts';
import { saveFile } from '../../components/save-file.ts';
import { exactDataOf } from '../../json/exact.ts';
import { placeOfLine, type Range } from '../../json/place.ts';

export type QuestionAnswer = Schemas['QuestionAnswer'];

const path = '/api/applications/{domain}/query';

export function ask(domain: string, sql: string, signal: AbortSignal): Promise<QuestionAnswer> {
  const init = { params: { path: { domain } }, body: { sql }, parseAs: 'text', signal } as const;
  return exactDataOf<QuestionAnswer>(client.POST(path, init));
}

const mediaTypes = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};
export type DownloadFormat = keyof typeof mediaTypes;

/** Asks again, for a file. */
export async function download(domain: string, sql: string, format: DownloadFormat): Promise<void> {
  const { data, error, response } = await client.POST(path, {
    params: { path: { domain } },
    body: { sql },
    headers: { accept: mediaTypes[format] },
    parseAs: 'blob',
  });
  if (!data) throw failureOf(response, error);
  saveFile(data, `${domain}-answer.${format}`);
}

/** Where the API says that a question is wrong, up to the end of the word there; undefined for other failures. */
export function faultOf(sql: string, failure: Error | null): (Range & { message: string }) | undefined {
  const details = failure instanceof RequestFailure ? failure.details : [];
  const found = details.find((each) => each.path === '/sql');
  if (!found) return undefined;
  const { line = 1, column = 1 } = found as { line?: number; column?: number };
  const { from, to } = placeOfLine(sql, line, column);
  const [word = ''] = /^(?:"[^"]*"?|'[^']*'?|\w+|.)/.exec(sql.slice(from, to)) ?? [];
  return { from, to: from + word.length, message: found.message };
}

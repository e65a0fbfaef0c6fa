import { client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { cutDepth } from '../../json/cut-depth.ts';

export interface RefusedLine {
  line: number;
  message: string;
  details?: { path: string; message: string }[];
  payload: unknown;
}

const headBytes = 256 * 1024;
export const mostLines = 100;

/** The first lines of an import's report. Throws ApiFailure. */
export async function readReport(domain: string, id: string, signal: AbortSignal): Promise<RefusedLine[]> {
  const { data, error, response } = await client.GET('/api/applications/{domain}/imports/{id}/file', {
    params: { path: { domain, id } },
    headers: { range: `bytes=0-${headBytes - 1}` },
    parseAs: 'text',
    signal,
  });
  if (data === undefined) throw failureOf(response, error);
  // What comes after the last line break is the beginning of a line, or nothing.
  const lines = String(data).split('\n').slice(0, -1);
  return lines.slice(0, mostLines).map((line) => JSON.parse(cutDepth(line)));
}

import { setImmediate as breathe } from 'node:timers/promises';
import { memberText } from '@sluice/json/member-text.ts';
import { decode, parseJson } from '@sluice/json/parse-json.ts';
import { disarm } from '@sluice/tables/csv/cell-json.ts';
import { stringify } from 'csv-stringify/sync';

/** Lines that are written at once; other requests run in between. */
const linesAtOnce = 200;
const newline = 0x0a;
const options = { record_delimiter: '\r\n' };

interface Line {
  line: number;
  name: string;
  message: string;
  details?: { path: string }[];
}

/** The report of an import as CSV, from its NDJSON. Formulas are escaped as in exports. */
export async function* reportCsv(ndjson: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(stringify([['line', 'name', 'message', 'path', 'payload']], options));
  let begun = Buffer.alloc(0);
  for await (const piece of ndjson) {
    const bytes = Buffer.concat([begun, piece]);
    const end = bytes.lastIndexOf(newline) + 1;
    begun = bytes.subarray(end);
    const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
    for (let at = 0; at < lines.length; at += linesAtOnce) {
      yield Buffer.from(stringify(lines.slice(at, at + linesAtOnce).map(toRow), options));
      await breathe();
    }
  }
}

function toRow(text: string): string[] {
  const { line, name, message, details = [] } = parseJson(text) as Line;
  return [String(line), name, disarm(message), disarm(details[0]?.path ?? ''), payloadIn(text)];
}

/** Text as it was sent, or JSON with its digits. */
function payloadIn(text: string): string {
  const payload = memberText(text, 'payload') ?? '';
  return payload.startsWith('"') ? disarm(decode(payload)) : payload;
}

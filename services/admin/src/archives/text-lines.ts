import { memberText } from '@sluice/json/member-text.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { type LineSink, ndjsonSplitter } from '@sluice/json/split.ts';
import { readRecord } from '@sluice/tables/csv/record.ts';
import { csvSplitter } from '@sluice/tables/csv/split.ts';

const newline = Buffer.from('\n');

/** The lines of a file with the ids of their entries, byte by byte as they are; the header of a CSV has none. */
export async function* textLines(
  format: 'ndjson' | 'csv',
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ id?: string; bytes: Buffer }> {
  const found: { id?: string; bytes: Buffer }[] = [];
  let parts: Uint8Array[] = [];
  let place: number | undefined;

  function idOf(text: string): string | undefined {
    if (format === 'ndjson') {
      const id = memberText(text, 'id');
      return id === undefined ? undefined : String(parseJson(id));
    }
    const record = readRecord(text);
    const cells = record.ok ? record.cells : [];
    if (place !== undefined) return cells[place];
    place = cells.indexOf('id');
    return undefined;
  }

  const sink: LineSink = {
    bytes(piece, from, to) {
      if (to > from) parts.push(piece.subarray(from, to));
    },
    end() {
      const line = Buffer.concat(parts);
      const id = idOf(line.toString());
      parts = [];
      found.push({ ...(id !== undefined && { id }), bytes: Buffer.concat([line, newline]) });
    },
    drop() {
      parts = [];
    },
  };
  const splitter =
    format === 'ndjson'
      ? ndjsonSplitter(sink)
      : csvSplitter({ ...sink, peek: () => undefined }, () => ({ delimiter: ',', hasHeader: false }));
  for await (const piece of pieces) {
    splitter.push(piece);
    yield* found.splice(0);
  }
  splitter.end();
  yield* found;
}

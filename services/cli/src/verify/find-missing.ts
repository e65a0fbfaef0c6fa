import type { Context } from '../context.ts';
import type { Refusals } from '../send/refusals.ts';
import { passingRun } from '../send/run-state.ts';
import { sendLines } from '../send/send-lines.ts';
import { askMissing, mostAsked } from './ask-missing.ts';
import { type FileLine, valueAt } from './file-lines.ts';

interface Asked {
  line: number;
  json: string;
  /** As JSON text. */
  value: string;
}

/** What is left of a file. Lines without a value can be neither found nor missing. */
export interface FoundMissing {
  lines: number;
  stored: number;
  missing: number;
  without_value: number;
  /** The first of the missing lines. */
  missing_lines: number[];
  without_value_lines: number[];
}

/** More lines are not named. */
const mostNamed = 20;
const mostBytes = 8 * 1024 ** 2;

interface Parts {
  /** The keys of the pointer to the value. */
  path: string[];
  /** Hears of lines that are no entry, and of those that are sent and refused. */
  refusals: Refusals;
  /** Whether to send what is missing. */
  sends: boolean;
  onLines(lines: number): void;
}

/** Asks for the values of lines, in pieces of bounded size. */
export async function findMissing(
  context: Context,
  lines: AsyncIterable<FileLine>,
  { path, refusals, sends, onLines }: Parts,
): Promise<FoundMissing> {
  const found: FoundMissing = {
    lines: 0,
    stored: 0,
    missing: 0,
    without_value: 0,
    missing_lines: [],
    without_value_lines: [],
  };

  async function missingOf(asked: Asked[]): Promise<Asked[]> {
    if (asked.length === 0) return [];
    const isMissing = await askMissing(
      context,
      asked.map(({ value }) => value),
    );
    return asked.filter(({ value }) => isMissing(value));
  }

  async function send(missing: Asked[]): Promise<void> {
    async function* bytes(): AsyncGenerator<Buffer> {
      yield Buffer.from(missing.map(({ json }) => `${json}\n`).join(''));
    }
    await sendLines(context, bytes(), {
      run: passingRun(),
      refusals: {
        ...refusals,
        add: (refusal, bytes) =>
          refusals.add({ ...refusal, line: missing[refusal.line - 1]?.line ?? refusal.line }, bytes),
      },
      bar: { show: () => {}, clear: () => {} },
      isSlow: false,
    });
  }

  async function check(asked: Asked[]): Promise<void> {
    let missing = await missingOf(asked);
    if (sends && missing.length > 0) {
      await send(missing);
      missing = await missingOf(missing);
    }
    found.stored += asked.length - missing.length;
    found.missing += missing.length;
    for (const { line } of missing)
      if (found.missing_lines.length < mostNamed) found.missing_lines.push(line);
    onLines(found.lines);
  }

  let asked: Asked[] = [];
  let bytes = 0;
  let valueBytes = 0;
  for await (const { line, json, fault, bytes: wrong = Buffer.alloc(0) } of lines) {
    found.lines += 1;
    if (fault !== undefined) await refusals.add({ line, name: 'MalformedBodyError', message: fault }, wrong);
    const value = json === undefined ? undefined : valueAt(json, path);
    if (json === undefined || value === undefined) {
      found.without_value += 1;
      if (found.without_value_lines.length < mostNamed) found.without_value_lines.push(line);
      continue;
    }
    asked.push({ line, json, value });
    bytes += json.length;
    valueBytes += Buffer.byteLength(value);
    if (asked.length < mostAsked.values && bytes < mostBytes && valueBytes < mostAsked.bytes) continue;
    await check(asked);
    [asked, bytes, valueBytes] = [[], 0, 0];
  }
  await check(asked);
  return found;
}

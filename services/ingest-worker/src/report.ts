import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { Refusal } from '@sluice/intake/line.ts';
import { toLineRefusal } from '@sluice/intake/line-errors.ts';
import { isJson } from '@sluice/json/parse-json.ts';

const compress = promisify(zstdCompress);
/** A longer line is cut off in the report. */
const shownBytes = 64 * 1024;
const cutOff = '… (cut off)';
/** Limit for all payloads of a chunk. Payloads of CSV are longer than their lines: each repeats the column names. */
const payloadBytes = 6 * 1024 ** 2;
/** Limit for each further payload. */
const shortPayloadBytes = 512;
/** Limit for all details of a chunk: a line has up to 20, which can be far longer than the line. */
const detailBytes = 2 * 1024 ** 2;
/** Beyond the limit, a line has its first detail if the row is not longer than this. */
const shortBytes = 1_024;

/** What a row shows of a line. */
export interface Source {
  bytes: Buffer;
  as: 'json' | 'text';
}

/** Collects the refused lines of a chunk as NDJSON: `{line, name, message, details, payload}`. `head` can replace `line`. */
export function createReport() {
  const rows: { line: number; text: string }[] = [];
  let told = 0;
  let payloads = 0;

  function explained(head: object, refusal: Refusal): string {
    const whole = JSON.stringify({ ...head, ...toLineRefusal(refusal, true) });
    told += whole.length;
    if (told <= detailBytes) return whole;
    const brief = toLineRefusal(refusal, false);
    const short = JSON.stringify({ ...head, ...brief });
    if (short.length <= shortBytes) return short;
    return JSON.stringify({ ...head, name: brief.name, message: brief.message });
  }

  function payloadOf(payload: Source): string {
    const whole = shown(payload, shownBytes);
    payloads += whole.length;
    return payloads <= payloadBytes ? whole : shown(payload, shortPayloadBytes);
  }

  return {
    rows: () => rows.length,

    add(line: number, refusal: Refusal, payload: Source, head: object = { line }): void {
      const row = explained(head, refusal);
      rows.push({ line, text: `${row.slice(0, -1)},"payload":${payloadOf(payload)}}\n` });
    },

    /** Undefined: no line was refused. */
    async finish(): Promise<{ data: Buffer; bytes: number } | undefined> {
      if (rows.length === 0) return undefined;
      rows.sort((a, b) => a.line - b.line);
      const text = Buffer.from(rows.map((row) => row.text).join(''));
      return { data: await compress(text), bytes: text.length };
    },
  };
}

/** The payload itself if it is JSON, with its exact numbers; otherwise the sent text as a string. */
export function shown({ bytes, as }: Source, mostBytes: number): string {
  const text = bytes.toString('utf8', 0, mostBytes);
  if (bytes.length > mostBytes) return JSON.stringify(text.replace(/\uFFFD{1,3}$/, '') + cutOff);
  if (as === 'text') return JSON.stringify(text.trim());
  // JSON has line ends only between tokens.
  return isJson(text) ? text.replaceAll(/[\r\n]/g, ' ').trim() : JSON.stringify(text.trim());
}

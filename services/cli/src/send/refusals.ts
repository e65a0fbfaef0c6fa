import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { isJson } from '@sluice/json/parse-json.ts';
import type { Detail } from '../api/answer.ts';
import { firstBytes } from '../output/first-bytes.ts';
import { reasonOf } from '../output/reason.ts';
import { harmless, type Terminal } from '../terminal.ts';

/** A refused line of the file, counted from 1. */
export interface ShownRefusal extends Detail {
  line: number;
}

/** More refused lines are only counted. */
export const mostShown = 5;

interface Options {
  /** The file of `--refused`. */
  path?: string | undefined;
  /** Length of that file when the run was interrupted. */
  reported?: number;
  /** Told once below a line that is not JSON. */
  hint?: string | undefined;
  /** Told instead of further lines. */
  more?: string;
}

/** Writes refused lines into a file, in the form of an import's report; without one it shows the first of them. */
export async function openRefusals({ say }: Terminal, { path, reported = 0, hint, more = '…' }: Options) {
  const file =
    path === undefined ? undefined : await open(path, reported > 0 && existsSync(path) ? 'r+' : 'w');
  const from = file ? Math.min(reported, (await file.stat()).size) : reported;
  // What came behind comes again.
  await file?.truncate(from);
  let [length, shown] = [from, 0];
  let left = hint;

  function show({ line, name, message, details }: ShownRefusal, bytes: Buffer): void {
    shown += 1;
    if (shown === mostShown + 1) say(more);
    if (shown > mostShown) return;
    say(`line ${line}: ${harmless(reasonOf({ message, details }))}`);
    if (name !== 'MalformedBodyError') return;
    say(`  ${firstBytes(bytes)}`);
    if (left) say(left);
    left = undefined;
  }

  return {
    length: () => length,

    /** `bytes`: what the line is. */
    async add(refusal: ShownRefusal, bytes: Buffer): Promise<void> {
      if (!file) return show(refusal, bytes);
      const { line, name, message, details } = refusal;
      const text = bytes.toString();
      const head = JSON.stringify({ line, name, message, details }).slice(0, -1);
      const row = Buffer.from(`${head},"payload":${isJson(text) ? text.trim() : JSON.stringify(text)}}\n`);
      await file.write(row, 0, row.length, length);
      length += row.length;
    },

    close: () => file?.close(),
  };
}

export type Refusals = Awaited<ReturnType<typeof openRefusals>>;

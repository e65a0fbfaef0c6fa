import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { isJson } from '@sluice/json/parse-json.ts';
import type { Detail } from '../api/answer.ts';
import { reasonOf } from '../output/reason.ts';
import { harmless, type Terminal } from '../terminal.ts';

/** A refused line of the file, counted from 1. */
export interface ShownRefusal extends Detail {
  line: number;
}

const mostShown = 5;

/** Writes refused lines into a file, in the form of an import's report; without one it shows the first of them. */
export async function openRefusals({ say }: Terminal, path: string | undefined, reported: number) {
  const file =
    path === undefined ? undefined : await open(path, reported > 0 && existsSync(path) ? 'r+' : 'w');
  const from = file ? Math.min(reported, (await file.stat()).size) : reported;
  // What came behind comes again.
  await file?.truncate(from);
  let [length, shown] = [from, 0];

  return {
    length: () => length,

    /** `text`: what the line is. */
    async add({ line, name, message, details }: ShownRefusal, text: string): Promise<void> {
      if (!file) {
        shown += 1;
        if (shown <= mostShown) say(`line ${line}: ${harmless(reasonOf({ message, details }))}`);
        if (shown === mostShown + 1) say('… --refused FILE writes all refused lines with their reasons');
        return;
      }
      const head = JSON.stringify({ line, name, message, details }).slice(0, -1);
      const bytes = Buffer.from(`${head},"payload":${isJson(text) ? text.trim() : JSON.stringify(text)}}\n`);
      await file.write(bytes, 0, bytes.length, length);
      length += bytes.length;
    },

    close: () => file?.close(),
  };
}

export type Refusals = Awaited<ReturnType<typeof openRefusals>>;

import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The last server that ran over a folder: the path of a program, or a container. */
export type Writer = { program: string; version: string } | { image: string };

const fileIn = (folder: string) => join(folder, 'written-by.json');

/** Undefined if the folder does not say. */
export function writerOf(folder: string): Writer | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(folder), 'utf8')) as Writer;
  } catch {
    return undefined;
  }
}

export const noteWriter = (folder: string, writer: Writer): void =>
  writeFileSync(fileIn(folder), JSON.stringify(writer));

/** For messages: `mongod 6.0.5`. */
export const nameOf = (writer: Writer): string =>
  'image' in writer ? `container ${writer.image}` : `${basename(writer.program)} ${writer.version}`;

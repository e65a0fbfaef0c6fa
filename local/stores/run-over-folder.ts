import { mkdirSync } from 'node:fs';
import { StartError } from '../start-error.ts';
import { type Kind, servers } from './find.ts';
import { logFile, runStore, type Server, Stopped, type Store } from './store.ts';
import { nameOf, noteWriter, type Writer, writerOf } from './written-by.ts';

export interface OverFolder extends Omit<Server, 'found'> {
  kind: Kind;
  folder: string;
  cacheDir: string;
  url(port: number): string;
}

/** None of the servers starts over the folder. */
export class Unusable extends StartError {
  /** The servers that were tried, and how each ended. */
  tried: string;

  constructor(message: string, tried: string) {
    super(message);
    this.tried = tried;
  }
}

/** Runs the server that wrote the folder, or else the first that starts over it. Throws Unusable. */
export async function runOverFolder({ kind, folder, url, ...server }: OverFolder): Promise<Store> {
  mkdirSync(folder, { recursive: true });
  const writer = writerOf(folder);
  const names: string[] = [];
  const ends: string[] = [];
  for await (const { source, ...found } of servers(kind, writer, server)) {
    try {
      const store = await runStore({ ...server, found: { source, ...found } }, url);
      noteWriter(folder, found);
      return store;
    } catch (error) {
      if (!(error instanceof Stopped) || server.children.closing) throw error;
      names.push(nameOf(found));
      ends.push(`${source} (${error.how})`);
    }
  }
  const tried = ends.join(', ');
  const isWriterGone = writer && !names.includes(nameOf(writer));
  throw new Unusable(
    `${kind.what} cannot start: ${tried} cannot use ${folder}, see ${logFile(server)}; ${isWriterGone ? get(writer) : elsewhere}`,
    tried,
  );
}

const get = (writer: Writer) =>
  `${'image' in writer ? 'start Docker for' : 'install'} ${nameOf(writer)}, which wrote this folder`;
const elsewhere = 'mend what it says, or use another folder: DATA_DIR=… npm start';

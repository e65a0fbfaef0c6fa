import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LakeFault } from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { type FileOfArchive, NotReady } from './segments.ts';

interface Copy {
  path: string;
  bytes: number;
  /** Infinite while it is being made. */
  usedAt: number;
  made: Promise<void>;
}

interface Options {
  objects: Pick<ObjectStore, 'list' | 'read'>;
  /** For the copies alone. */
  folder: string;
  /** Room for all copies. */
  mostBytes: number;
  /** How long a question may read a copy after it got its path. */
  readMs?: number;
  /** Files that were erased or replaced are not asked for, so their copies go after this time. */
  idleMs?: number;
}

/** Copies of files of a bucket, for processes without a network. What was used least recently makes room. */
export function createCopies({ objects, folder, mostBytes, readMs = 60_000, idleMs = 600_000 }: Options) {
  /** By SHA-256; those used least recently first. */
  const copies = new Map<string, Copy>();
  let bytes = 0;
  let count = 0;

  function use(sha256: string, copy: Copy, usedAt = performance.now()): void {
    copy.usedAt = usedAt;
    copies.delete(sha256);
    copies.set(sha256, copy);
  }

  function remove(sha256: string, copy: Copy): void {
    copies.delete(sha256);
    bytes -= copy.bytes;
    void rm(copy.path, { force: true }).catch(() => undefined);
  }

  /** Removes what nobody used for so long, except what is wanted, until there is room. */
  function removeUnused(ms: number, room: number, wanted = new Map<string, unknown>()): void {
    for (const [sha256, copy] of copies) {
      if (bytes + room <= mostBytes) return;
      if (performance.now() - copy.usedAt >= ms && !wanted.has(sha256)) remove(sha256, copy);
    }
  }

  async function make(path: string, { name, sha256 }: FileOfArchive): Promise<void> {
    const pieces = await objects.read(name);
    if (!pieces) throw new LakeFault(`${name} is missing`);
    const hash = createHash('sha256');
    async function* hashed(source: AsyncIterable<Buffer>) {
      for await (const piece of source) {
        hash.update(piece);
        yield piece;
      }
    }
    await pipeline(pieces, hashed, createWriteStream(path, { mode: 0o600 }));
    if (hash.digest('hex') !== sha256) throw new LakeFault(`${name} is not as its manifest says`);
  }

  function begin(file: FileOfArchive): void {
    const path = join(folder, `${++count}.parquet`);
    const copy = { path, bytes: file.bytes, usedAt: Number.POSITIVE_INFINITY, made: make(path, file) };
    bytes += copy.bytes;
    copies.set(file.sha256, copy);
    copy.made.then(
      () => use(file.sha256, copy),
      () => remove(file.sha256, copy),
    );
  }

  /** Makes the copies that are missing. They go on where the question ends. Throws NotReady. */
  function hold(files: FileOfArchive[]): Copy[] {
    const wanted = new Map(files.map((file) => [file.sha256, file]));
    if (sumOf(wanted.values()) > mostBytes)
      throw new NotReady(
        'the entries need more room than QUERY_COPIES gives: ask the operator to raise it',
        60,
      );
    for (const sha256 of wanted.keys()) {
      const copy = copies.get(sha256);
      if (copy) use(sha256, copy, Math.max(copy.usedAt, performance.now()));
    }
    const missing = [...wanted.values()].filter(({ sha256 }) => !copies.has(sha256));
    const room = sumOf(missing);
    removeUnused(readMs, room, wanted);
    if (bytes + room > mostBytes)
      throw new NotReady('the entries of others take the room of QUERY_COPIES: ask again', 60);
    for (const file of missing) begin(file);
    return files.map(({ sha256 }) => copies.get(sha256) as Copy);
  }

  return {
    objects,

    /** Paths of copies, which stay for as long as a question takes. Rejects also with LakeFault and ObjectStoreError. */
    async pathsOf(files: FileOfArchive[], signal: AbortSignal): Promise<string[]> {
      const held = hold(files);
      const late = once(signal, 'abort').then(() => {
        throw new NotReady('the entries are being prepared: ask again', 5);
      });
      late.catch(() => undefined);
      await Promise.race([Promise.all(held.map(({ made }) => made)), late]);
      return files.map(({ sha256 }, at) => {
        const copy = held[at] as Copy;
        use(sha256, copy);
        return copy.path;
      });
    },

    /** To be called each minute. */
    removeIdle: () => removeUnused(idleMs, Number.POSITIVE_INFINITY),
  };
}

const sumOf = (files: Iterable<{ bytes: number }>) => [...files].reduce((sum, file) => sum + file.bytes, 0);

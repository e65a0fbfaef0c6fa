import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { stateFile } from '../settings/folders.ts';
import { readPrivate, writePrivate } from '../settings/private-file.ts';

/** Progress of sending a file. The bytes before `offset` were answered. */
export interface RunProgress {
  /** Bytes of the file. */
  offset: number;
  /** Lines before the offset. */
  line: number;
  stored: number;
  refused: number;
  /** Length of the file of `--refused`. */
  reported: number;
  /** Most lines and bytes of a batch: the same bytes must go with the same key. */
  limits: { lines: number; bytes: number };
  /** The job of an import. */
  job?: string;
}

interface Kept extends RunProgress {
  run: string;
  size: number;
  mtimeMs: number;
  /** When the whole file was sent. */
  sent?: string;
}

export const usualLimits = { lines: 5_000, bytes: 4 * 1024 ** 2 };
const beginning: RunProgress = {
  offset: 0,
  line: 0,
  stored: 0,
  refused: 0,
  reported: 0,
  limits: usualLimits,
};

/** Remembers how far a file was sent, so that the same command continues after a crash. */
export async function openRun(
  { env, url, domain }: Pick<Context, 'env' | 'url' | 'domain'>,
  path: string,
  restart = false,
) {
  const { size, mtimeMs } = await stat(path);
  const file = stateFile(env, [url, domain(), resolve(path)].join('\n'));
  const last = restart ? undefined : await readPrivate<Kept>(file);
  const isSame = last?.size === size && last.mtimeMs === mtimeMs;
  const kept = last?.sent ? undefined : last;
  if (kept && !isSame)
    throw new CliError(
      `${path} has changed since it was sent up to line ${kept.line}: send it from its beginning with --restart, or only its rest as another file`,
    );
  const run = kept?.run ?? randomBytes(16).toString('hex');
  const save = (progress: RunProgress & Pick<Kept, 'sent'>) =>
    writePrivate(file, { ...progress, run, size, mtimeMs });
  return {
    id: run,
    size,
    /** Where an interrupted run continues. */
    progress: kept ?? beginning,
    isResumed: kept !== undefined,
    /** The same file, if it was sent as a whole: its path, size and time of change are the same. */
    before: isSame && last.sent ? { sent: last.sent, stored: last.stored } : undefined,
    save,
    /** Remembers that entries of the file are stored. */
    finish: (stored: number) =>
      stored > 0 ? save({ ...beginning, stored, sent: new Date().toISOString() }) : rm(file, { force: true }),
  };
}

export type SendRun = Awaited<ReturnType<typeof openRun>>;

/** A run that nothing can resume: its source is read only once. */
export const passingRun = (): SendRun => ({
  id: randomBytes(16).toString('hex'),
  size: 0,
  progress: beginning,
  isResumed: false,
  before: undefined,
  save: async () => {},
  finish: async () => {},
});

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
  const kept = restart ? undefined : await readPrivate<Kept>(file);
  if (kept && (kept.size !== size || kept.mtimeMs !== mtimeMs))
    throw new CliError(
      `${path} has changed since it was sent up to line ${kept.line}: send it from its beginning with --restart, or only its rest as another file`,
    );
  const run = kept?.run ?? randomBytes(16).toString('hex');
  return {
    id: run,
    size,
    /** Where an interrupted run continues. */
    progress: kept ?? beginning,
    isResumed: kept !== undefined,
    save: (progress: RunProgress) => writePrivate(file, { ...progress, run, size, mtimeMs }),
    remove: () => rm(file, { force: true }),
  };
}

export type SendRun = Awaited<ReturnType<typeof openRun>>;

/** A run that nothing can resume: its source is read only once. */
export const passingRun = (): SendRun => ({
  id: randomBytes(16).toString('hex'),
  size: 0,
  progress: beginning,
  isResumed: false,
  save: async () => {},
  remove: async () => {},
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const run = promisify(execFile);

/** A Python that has the packages that CONTRIBUTING.md lists. */
export function python(): string {
  const path = process.env.READERS_PYTHON;
  if (!path)
    throw new Error(
      'set READERS_PYTHON to a python3 that has duckdb, pandas, polars, fsspec and openapi-python-client: see CONTRIBUTING.md',
    );
  return path;
}

/** Writes files and has a script of this folder read them; resolves with what it prints. Call in a test. */
export async function readByPython(script: string, files: (Uint8Array | string)[]): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-readers-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const paths = files.map((_, i) => join(dir, String(i)));
  await Promise.all(files.map((file, i) => writeFile(paths[i] as string, file)));
  const { stdout } = await run(python(), [join(import.meta.dirname, script), ...paths], {
    maxBuffer: 2 ** 30,
  });
  return stdout;
}

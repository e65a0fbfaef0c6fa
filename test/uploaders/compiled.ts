import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { localEnv } from '../../local/env.ts';

export const programs = join(import.meta.dirname, 'programs');

/** A folder that later runs find again. */
export const cache = join(localEnv().cacheDir, 'uploaders');

/** Runs a compiler. Fails with what it printed. */
export async function compile(cwd: string, command: string, args: string[], env = {}): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env } });
    return stdout;
  } catch (error) {
    const { message, stdout } = error as { message: string; stdout: string };
    throw new Error(`${message}\n${stdout}`);
  }
}

/** Copies a program, into a folder of its own if the language wants that. */
export async function copyProgram(name: string, folder: string, as = name): Promise<void> {
  await mkdir(join(folder, as, '..'), { recursive: true });
  await cp(join(programs, name), join(folder, as));
}

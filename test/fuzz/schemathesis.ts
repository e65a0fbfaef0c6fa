import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dictionaries } from './scene.ts';

/** A Python that has Schemathesis. */
function python(): string {
  const path = process.env.FUZZ_PYTHON;
  if (!path) throw new Error('set FUZZ_PYTHON to a python3 that has schemathesis: see CONTRIBUTING.md');
  return path;
}

export interface Run {
  url: string;
  caller: string;
  headers: Record<string, string>;
  dictionaries: Dictionaries;
  phases: string;
  /** Cases an operation and phase. */
  examples: number;
  seed: number;
}

/** Runs Schemathesis with the settings beside this file; resolves with its exit code and all that it printed. */
export async function runSchemathesis({ url, caller, headers, dictionaries, phases, examples, seed }: Run) {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-fuzz-'));
  try {
    for (const name of ['schemathesis.toml', 'hooks.py'])
      await copyFile(join(import.meta.dirname, name), join(dir, name));
    for (const [name, values] of Object.entries(dictionaries))
      await writeFile(
        join(dir, `${name}.dict`),
        values.map((value) => `${JSON.stringify(value)}\n`).join(''),
      );
    const args = [
      ...['run', `${url}/api/openapi.json`, '--no-color'],
      ...['--phases', phases, '--max-examples', String(examples), '--seed', String(seed)],
      ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ];
    const child = spawn(python(), ['-m', 'schemathesis.cli', ...args], {
      cwd: dir,
      env: { ...process.env, FUZZ_CALLER: caller },
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const [code] = await once(child, 'close');
    return { code, output };
  } finally {
    await rm(dir, { recursive: true });
  }
}

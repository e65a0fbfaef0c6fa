import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cache, compile, copyProgram } from '../compiled.ts';
import type { Language } from '../language.ts';

async function built(folder: string, name: string): Promise<string[]> {
  await copyProgram(`${name}.rs`, folder);
  await copyManifest(folder);
  return build(folder, name, '--locked');
}

/** Of the programs `send` and `plain`. */
export async function copyManifest(folder: string): Promise<void> {
  for (const file of ['Cargo.toml', 'Cargo.lock', 'plain.rs']) await copyProgram(file, folder);
}

/** Compiles a program, and returns the command that is the program itself. */
export async function build(folder: string, name: string, ...options: string[]): Promise<string[]> {
  const target = join(cache, 'rust');
  const env = { RUSTFLAGS: '-Dwarnings', CARGO_TARGET_DIR: target };
  await compile(folder, 'cargo', ['build', '--quiet', '--release', '--bin', name, ...options], env);
  const program = join(folder, `${name}-program`);
  // The next compilation overwrites it.
  await cp(join(target, 'release', name), program);
  return [program];
}

export const rust: Language = {
  name: 'rust',
  mostMemory: 100,
  poison: { NaN: 'send', 'an infinite number': 'send' },
  inCallback: ['-100 send', '-101 flush and close'],
  async prepare(folder, client) {
    await writeFile(join(folder, client.file), client.text);
    return built(folder, 'send');
  },
  preparePlain: (folder) => built(folder, 'plain'),
};

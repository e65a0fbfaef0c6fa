import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cache, compile, copyProgram } from '../compiled.ts';
import type { Language } from '../language.ts';

async function built(folder: string, name: string): Promise<string[]> {
  for (const file of ['Cargo.toml', 'Cargo.lock', 'send.rs', 'plain.rs']) await copyProgram(file, folder);
  const target = join(cache, 'rust');
  const env = { RUSTFLAGS: '-Dwarnings', CARGO_TARGET_DIR: target };
  await compile(folder, 'cargo', ['build', '--quiet', '--release', '--locked', '--bin', name], env);
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

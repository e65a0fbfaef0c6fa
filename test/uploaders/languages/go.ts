import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compile, copyProgram } from '../compiled.ts';
import type { Language } from '../language.ts';

/** Fails if gofmt would change a file. */
export async function checkFormat(folder: string, ...paths: string[]): Promise<void> {
  const changed = await compile(folder, 'gofmt', ['-d', ...paths]);
  if (changed !== '') throw new Error(`gofmt would change this:\n${changed}`);
}

/** What `go vet` finds, and Staticcheck if UPLOADERS_STATICCHECK is its path. */
export async function lint(folder: string, paths = './...', env = {}): Promise<void> {
  await compile(folder, 'go', ['vet', paths], env);
  const { UPLOADERS_STATICCHECK: staticcheck } = process.env;
  if (staticcheck) await compile(folder, staticcheck, [paths], env);
}

/** The program that the head of a client shows. */
export function programIn(client: string): string {
  const [, shown = ''] = /^\/\/ Use, as main\.go:\n([\s\S]*?)^\/\/ Run:/m.exec(client) ?? [];
  return shown.replace(/^\/\/( {5})?/gm, '');
}

export async function built(folder: string, name: string): Promise<string[]> {
  await copyProgram(`${name}.go`, folder, `${name}/main.go`);
  await writeFile(join(folder, 'go.mod'), 'module uploaders\n\ngo 1.24\n');
  await lint(folder, `./${name}/...`);
  const program = join(folder, `${name}/program`);
  await compile(folder, 'go', ['build', '-o', program, `./${name}`]);
  return [program];
}

export const go: Language = {
  name: 'go',
  mostMemory: 120,
  poison: {
    'a channel': 'send',
    NaN: 'send',
    'an infinite number': 'send',
    'a map that has itself': 'send',
    'a marshaler that fails': 'send',
    'a marshaler without a result': 'send',
    'a marshaler that writes no JSON': 'send',
    'a text that is not UTF-8': 'send',
    'a key that is not UTF-8': 'send',
  },
  inCallback: ['-100 PayloadTooLargeError'],
  async prepare(folder, client) {
    await mkdir(join(folder, 'uploader'));
    await writeFile(join(folder, 'uploader', client.file), client.text);
    await checkFormat(folder, 'uploader');
    return built(folder, 'send');
  },
  preparePlain: (folder) => built(folder, 'plain'),
};

import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Language } from '../language.ts';

const root = join(import.meta.dirname, '../../..');

const strict = {
  target: 'es2022',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
};
const forNode = {
  compilerOptions: {
    ...strict,
    module: 'nodenext',
    types: ['node'],
    rewriteRelativeImportExtensions: true,
    typeRoots: [join(root, 'node_modules/@types')],
  },
};
/** Projects for browsers have no types of Node.js. */
const forBrowsers = {
  compilerOptions: { ...strict, module: 'preserve', lib: ['es2022', 'dom'], types: [], noEmit: true },
  files: ['client.ts'],
};

const copied = (name: string, folder: string) =>
  cp(join(import.meta.dirname, '../programs', name), join(folder, name));

async function compile(folder: string, project: string): Promise<void> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', join(folder, project)]).catch(({ stdout }) => {
    throw new Error(stdout);
  });
}

export const typescript: Language = {
  name: 'typescript',
  mostMemory: 250,
  poison: {
    undefined: 'send',
    'a function': 'send',
    'a toJSON without a result': 'send',
    'a BigInt': 'send',
    'an object that has itself': 'send',
    NaN: 'send',
    'half a surrogate': 'SchemaValidationError',
    'an array': 'send',
    'a string': 'send',
    null: 'send',
    'a date that is none': 'send',
  },
  inCallback: ['-100 PayloadTooLargeError'],
  async prepare(folder, client) {
    await copied('send.ts', folder);
    const files = {
      'client.ts': client.text,
      'package.json': '{"type":"module"}',
      'tsconfig.json': JSON.stringify(forNode),
      'browser.json': JSON.stringify(forBrowsers),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await compile(folder, 'tsconfig.json');
    await compile(folder, 'browser.json');
    return [process.execPath, join(folder, 'send.js')];
  },
  async preparePlain(folder) {
    await copied('plain.ts', folder);
    await compile(folder, 'tsconfig.json');
    return [process.execPath, join(folder, 'plain.js')];
  },
};

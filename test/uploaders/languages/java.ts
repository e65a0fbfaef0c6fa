import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cache, compile, copyProgram, programs } from '../compiled.ts';
import type { Language } from '../language.ts';

/** The jars of Jackson, and their SHA-256. */
const jars = {
  'jackson-annotations-2.20.jar': '959a2ffb2d591436f51f183c6a521fc89347912f711bf0cae008cdf045d95319',
  'jackson-core-2.20.1.jar': 'ffab4d957daa2796cf24cb66d0b78a7090f1bcbe17c3a4578f09affaaf137089',
  'jackson-databind-2.20.1.jar': '34bbeb4526fff4f8565b12106bf85a6afcbae858966d489b54214ac46b2e26e8',
};
const folderOfJars = join(cache, 'java');

async function areJarsThere(): Promise<boolean> {
  for (const [jar, hash] of Object.entries(jars)) {
    const bytes = await readFile(join(folderOfJars, jar)).catch(() => '');
    if (createHash('sha256').update(bytes).digest('hex') !== hash) return false;
  }
  return true;
}

/** Where Jackson is. Downloads it once. */
export async function classPath(): Promise<string> {
  if (!(await areJarsThere())) {
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies';
    await compile(programs, 'mvn', ['-q', '-B', goal, `-DoutputDirectory=${folderOfJars}`]);
    if (!(await areJarsThere())) throw new Error(`${folderOfJars} has other jars than it should`);
  }
  return Object.keys(jars)
    .map((jar) => join(folderOfJars, jar))
    .join(delimiter);
}

/** All warnings, and what Javadoc says of comments. */
export const lint = ['-Xlint:all', '-Xdoclint:all,-missing', '-Werror'];

/** The program that the head of a client shows. */
export const programOf = (client: string) =>
  (/^\/\/ Use, as Send\.java:\n((?:\/\/(?: {5}.*)?\n)+)/m.exec(client)?.[1] ?? '').replace(
    /^\/\/(?: {5})?/gm,
    '',
  );

async function built(folder: string, name: string): Promise<string[]> {
  await copyProgram(`${name}.java`, folder);
  const path = [folder, await classPath()].join(delimiter);
  await compile(folder, 'javac', [...lint, '-cp', path, `${name}.java`]);
  // The usual collector does not move large objects, so a small heap may be free and yet have no room for one of 17 MiB.
  const warnings = '-Djava.util.logging.SimpleFormatter.format=%5$s%n';
  return ['java', '-XX:+UseSerialGC', '-Xmx128m', warnings, '-cp', path, name];
}

export const java: Language = {
  name: 'java',
  mostMemory: 250,
  poison: {
    NaN: 'send',
    'an infinite number': 'send',
    'half a surrogate': 'SchemaValidationError',
    'the other half': 'SchemaValidationError',
    'a list that has itself': 'send',
    'a list that is too deep': 'send',
    'a class without properties': 'send',
    'a raw value that is no JSON': 'send',
    'a raw value that is empty': 'send',
    'no entry': 'send',
  },
  inCallback: ['-100 PayloadTooLargeError', '-101 flush and close'],
  async prepare(folder, client) {
    await writeFile(join(folder, client.file), client.text);
    return built(folder, 'Send');
  },
  preparePlain: (folder) => built(folder, 'Plain'),
};

import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { compile } from './compiled.ts';

export interface Node {
  version: string;
  /** Its folder comes first in it. */
  PATH: string;
}

/** The Node.js of this test, and others on the PATH. */
export async function nodeVersions(): Promise<Node[]> {
  const { PATH = '' } = process.env;
  const folders = PATH.split(delimiter).filter((folder) => existsSync(join(folder, 'node')));
  const found = new Map<string, Node>();
  for (const folder of [dirname(process.execPath), ...folders]) {
    const version = (await compile(folder, join(folder, 'node'), ['--version'])).trim();
    if (!found.has(version)) found.set(version, { version, PATH: [folder, PATH].join(delimiter) });
  }
  return [...found.values()];
}

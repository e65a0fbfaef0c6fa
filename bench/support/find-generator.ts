import type { Children } from '../../local/children.ts';
import { autocannonGenerator } from './autocannon.ts';
import type { Generator } from './generator.ts';
import { wrkGenerator, wrkVersion } from './wrk.ts';

/** wrk where it is installed; else autocannon, which takes much more of the machine. */
export async function findGenerator(children: Children): Promise<Generator> {
  const version = await wrkVersion();
  return version ? wrkGenerator(version, children) : autocannonGenerator();
}

import type { Children } from '../../local/children.ts';
import { autocannonGenerator } from './autocannon.ts';
import type { Generator } from './generator.ts';
import { wrkGenerator, wrkVersion } from './wrk.ts';

/** wrk if it is installed, else autocannon, which takes much more processor time. */
export async function findGenerator(children: Children): Promise<Generator> {
  const version = await wrkVersion();
  return version ? wrkGenerator(version, children) : autocannonGenerator();
}

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Licences that only require a copy of their text. */
const allowed = new Set([
  // A typeface.
  'OFL-1.1',
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  'Python-2.0',
  'Zlib',
]);

export interface Licensed {
  name: string;
  version: string;
  /** An SPDX expression; empty if the package names none. */
  licence: string;
}

interface Manifest {
  name: string;
  version: string;
  license?: string | { type?: string };
  licenses?: { type?: string }[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** Whether an expression such as `(MIT OR GPL-3.0) AND Zlib` is allowed. Refuses deeper expressions. */
export function isAllowed(licence: string): boolean {
  const parts = licence.replace(/[()]/g, '').split(' AND ');
  return parts.every((part) => part.split(' OR ').some((name) => allowed.has(name.trim())));
}

function licenceOf({ license, licenses }: Manifest): string {
  if (typeof license === 'string') return license;
  const types = (license ? [license] : (licenses ?? [])).map(({ type }) => type ?? '');
  return types.join(' OR ');
}

/** The folder of a package; undefined for an optional package of another system. */
function find(name: string, from: string): string | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    const candidate = join(directory, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (directory === dirname(directory)) return undefined;
  }
}

/** All packages in a production installation of `root`, by name. */
export function productionPackages(root: string): Licensed[] {
  const seen = new Map<string, Licensed>();
  const visit = (directory: string): void => {
    if (seen.has(directory)) return;
    const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
    const { name, version, dependencies, optionalDependencies } = manifest;
    seen.set(directory, { name, version, licence: licenceOf(manifest) });
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = find(needed, directory);
      if (found) visit(found);
      else if (!optionalDependencies?.[needed])
        throw new Error(`${name} needs ${needed}, which is not installed`);
    }
  };
  visit(realpathSync(root));
  return [...seen.values()].sort((a, b) => a.name.localeCompare(b.name));
}

if (import.meta.main) {
  const packages = productionPackages(join(import.meta.dirname, '..'));
  for (const { name, version, licence } of packages) console.log(`${name} ${version}: ${licence || 'none'}`);
  const refused = packages.filter(({ licence }) => !isAllowed(licence));
  for (const { name, licence } of refused)
    console.error(`error: ${name} has a licence that is not allowed: ${licence || 'none'}`);
  if (refused.length > 0) process.exitCode = 1;
}

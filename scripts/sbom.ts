import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Writes what the image installs to a file, as CycloneDX, with pnpm as `npm run setup` has it. */
export function writeSbom(file: string): void {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // As in the Dockerfile, and what the files of the console are made of.
  const installed = ['--prod', '--no-optional', '--filter', '{services/*}'];
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--out', file];
  execFileSync('npx', ['--yes', packageManager, 'sbom', ...installed, ...format], { cwd: root });
}

if (import.meta.main) writeSbom(join(root, 'sbom.cdx.json'));

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Writes the packages of the image to a file, as CycloneDX, with the pnpm of `npm run setup`. */
export function writeSbom(file: string): void {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // The packages of the Dockerfile, and those in the built console.
  const installed = ['--prod', '--no-optional', '--filter', '{services/*}'];
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--out', file];
  execFileSync('npx', ['--yes', packageManager, 'sbom', ...installed, ...format], { cwd: root });
}

if (import.meta.main) writeSbom(join(root, 'sbom.cdx.json'));

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Messages of pnpm if the registry does not answer, which is no fault of the packages. */
const unanswered = /ERR_PNPM_AUDIT_(?:ENDPOINT_NOT_EXISTS|BAD_RESPONSE)/;

interface Advisory {
  module_name: string;
  severity: string;
  title: string;
  url: string;
}

/** Asks the registry about production packages, with the pnpm of `npm run setup`. */
function audit() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const args = ['--yes', packageManager, 'audit', '--prod', '--audit-level', 'high', '--json'];
  return spawnSync('npx', args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
}

if (import.meta.main) {
  const { status, stdout, stderr, error } = audit();
  const advisories: Advisory[] = stdout?.startsWith('{') ? Object.values(JSON.parse(stdout).advisories) : [];
  for (const { module_name, severity, title, url } of advisories)
    console.error(`error: ${module_name} has a vulnerability of level ${severity}: ${title} (${url})`);
  if (status === 0) {
    console.log(
      'audit: the registry knows no vulnerability of level high or above in what production installs',
    );
  } else if (unanswered.test(stderr)) {
    console.log(
      'NOTICE: nothing was audited, for the registry in use does not answer questions about vulnerabilities',
    );
  } else {
    if (advisories.length === 0) console.error(`error: pnpm audit failed: ${error?.message ?? stderr}`);
    process.exitCode = 1;
  }
}

// Installs what the lockfile says, unless that is what is installed: an installation writes a copy of the lockfile last.
// Then builds the console.
// Runs on any Node that npm runs on, before there is another.
const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { buildConsole } = require('./build-console.cjs');

const root = join(__dirname, '..');

function read(file) {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return undefined;
  }
}

if (read('pnpm-lock.yaml') !== read('node_modules/.pnpm/lock.yaml')) {
  const { packageManager } = JSON.parse(read('package.json'));
  const quiet = ['--reporter=append-only', '--loglevel=warn'];
  const install = ['--yes', packageManager, 'install', '--frozen-lockfile', ...quiet];
  const { status, error } = spawnSync('npx', install, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (error) console.error(`error: npx cannot be run: ${error.message}`);
  process.exitCode = status ?? 1;
}

if (!process.exitCode) buildConsole(root);

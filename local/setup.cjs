// Installs the lockfile's packages, unless the copy of the last installation is the same. Then builds the console and the command line.
//
// It must run on the Node of npm, which may be old.
const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { buildCommandLine, buildConsole } = require('./build-console.cjs');

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

if (!process.exitCode) {
  buildConsole(root);
  buildCommandLine(root);
}

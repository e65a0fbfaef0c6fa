const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/** The sources of a build, besides the lockfile. */
const sources = ['services/console', 'packages/json/src', 'packages/schemas/src', 'packages/tables/src'];

function hashOf(root) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'pnpm-lock.yaml')));
  const add = (path) => {
    const entries = readdirSync(path, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (/^(dist|node_modules|description\.d\.ts)$|\.test\.ts$/.test(entry.name)) continue;
      const child = join(path, entry.name);
      if (entry.isDirectory()) add(child);
      else hash.update(child.slice(root.length)).update(readFileSync(child));
    }
  };
  for (const folder of sources) add(join(root, folder));
  return hash.digest('hex');
}

function noteIn(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Builds the console, unless the last build finished and had the same sources. Sluice works without it. */
function buildConsole(root) {
  const folder = join(root, 'services/console');
  const note = join(folder, 'dist/built-from');
  const hash = hashOf(root);
  if (noteIn(note) === hash) return;
  console.log('Building the console, once');
  // The PATH begins with the Node.js that was just installed.
  const build = ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'error'];
  const { status } = spawnSync('node', build, { cwd: folder, stdio: 'inherit' });
  if (status === 0) return writeFileSync(note, hash);
  // A build of other sources is of no use.
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  console.error('warning: the console could not be built; the API works without it');
}

module.exports = { buildConsole };

const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { readdirSync, readFileSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const left = /^(dist|node_modules|description\.d\.ts)$|\.test\.ts$/;

/** The hash of the sources of a build, and of the lockfile. */
function hashOf(root, sources) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'pnpm-lock.yaml')));
  const add = (path) => {
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) if (!left.test(name)) add(join(path, name));
    } else hash.update(path.slice(root.length)).update(readFileSync(path));
  };
  for (const source of sources) add(join(root, source));
  return hash.digest('hex');
}

function noteIn(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Builds into `dist`, unless the last build finished and had the same sources. Sluice works without it. */
function buildOnce(root, { name, folder, sources, command }) {
  const dist = join(root, folder, 'dist');
  const note = join(dist, 'built-from');
  const hash = hashOf(root, sources);
  if (noteIn(note) === hash) return;
  console.log(`Building the ${name}, once`);
  // The PATH begins with the Node.js that was just installed.
  const { status } = spawnSync('node', command, { cwd: join(root, folder), stdio: 'inherit' });
  if (status === 0) return writeFileSync(note, hash);
  // A build of other sources is of no use.
  rmSync(dist, { recursive: true, force: true });
  console.error(`warning: the ${name} could not be built; the API works without it`);
}

module.exports = { buildOnce };

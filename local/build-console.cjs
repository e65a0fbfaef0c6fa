const { buildOnce } = require('./build-once.cjs');

const packages = ['packages/json/src', 'packages/schemas/src', 'packages/tables/src'];

function buildConsole(root) {
  buildOnce(root, {
    name: 'console',
    folder: 'services/console',
    sources: ['services/console', ...packages],
    command: ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'error'],
  });
}

function buildCommandLine(root) {
  buildOnce(root, {
    name: 'command line',
    folder: 'services/cli',
    // The manifest has the version.
    sources: ['package.json', 'services/cli', 'packages/shared/src', ...packages],
    command: ['build.ts'],
  });
}

module.exports = { buildConsole, buildCommandLine };

import { type ServiceName, serviceNames, settingsInForce } from '../settings-in-force.ts';
import type { Terminal } from '../terminal.ts';
import { type Checks, type Finding, fail, ok } from './finding.ts';

type Env = Terminal['env'];

const leastNode = 24;

/** Checks the settings of services started here, and Node.js. */
export const settingsChecks = (env: Env): Checks => ({
  ...Object.fromEntries(serviceNames.map((name) => [`settings of ${name}`, () => settings(name, env)])),
  'Node.js': () => {
    const { node } = process.versions;
    return Number.parseInt(node, 10) < leastNode ? fail(`${node} is too old: use ${leastNode}`) : ok(node);
  },
});

function settings(service: ServiceName, env: Env): Finding {
  const { faults } = settingsInForce(service, env);
  return faults.length === 0 ? ok('nothing is wrong') : fail(faults.join('; '));
}

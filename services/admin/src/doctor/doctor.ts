import type { Store } from '@sluice/jobs/connect.ts';
import { jobKinds } from '@sluice/jobs/record/job.ts';
import type { JobRecord } from '@sluice/jobs/record/job-records.ts';
import type { AdminConfig } from '@sluice/shared/config/load.ts';
import { within } from '@sluice/shared/deadline.ts';
import { printJson } from '@sluice/shared/terminal/print.ts';
import { HalfRestored } from '@sluice/store/backup/write-database.ts';
import { type Command, CommanderError } from 'commander';
import { openRedis } from '../inspect-redis.ts';
import { log } from '../log.ts';
import { type ServiceName, servicesOf, settingsInForce } from '../settings-in-force.ts';
import type { AdminTerminal } from '../terminal.ts';
import { withStore } from '../with-store.ts';
import { clusterChecks } from './check-cluster.ts';
import { mongodbChecks, redisChecks, replicaSetChecks } from './check-stores.ts';
import { type Checks, type Finding, fail, ok, warn } from './finding.ts';

/** Without a majority, MongoDB never answers some commands. */
const checkMs = 10_000;
const stuckMs = 600_000;
const leastNode = 24;

type Line = Finding & { check: string };

/** `sluice-admin doctor`. */
export function addDoctor(program: Command, terminal: AdminTerminal): void {
  const { console } = terminal;
  program
    .command('doctor')
    .description('Check settings, MongoDB, Redis and jobs. The exit code is 1 if a check failed.')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample: sluice-admin doctor')
    .action(({ json = false }: { json?: boolean }) =>
      withStore(terminal, async (store, config) => {
        const lines: Line[] = [];
        for await (const line of diagnose(store, config, terminal.env)) {
          lines.push(line);
          if (!json) console.log(`${line.level.padEnd(4)}  ${line.check}: ${line.message}`);
        }
        if (json) printJson(console, lines);
        if (lines.some(({ level }) => level === 'fail'))
          throw new CommanderError(1, 'doctor', 'a check failed');
      }),
    );
}

async function* diagnose(store: Store, config: AdminConfig, env: AdminTerminal['env']): AsyncGenerator<Line> {
  yield* run(settingsChecks(env));
  const mongodb = await check('MongoDB', async () => {
    await store.ping();
    return ok('it answers');
  });
  yield mongodb;
  if (mongodb.level === 'ok')
    yield* run({
      ...((await store.cluster.isCluster()) ? clusterChecks(store) : replicaSetChecks(store)),
      ...mongodbChecks(store),
      ...Object.fromEntries(jobKinds.map((kind) => [`${kind}s`, () => waitingJobs(store, kind)])),
    });
  yield* diagnoseRedis(config);
}

async function* diagnoseRedis({ redis: configOf }: AdminConfig): AsyncGenerator<Line> {
  const opened = await openRedis(configOf(), log).catch((error: Error) => error);
  if (opened instanceof Error) {
    yield { check: 'Redis', ...fail(opened.message) };
    return;
  }
  try {
    yield* run({ Redis: () => ok('it answers'), ...redisChecks(opened) });
  } finally {
    opened.disconnect();
  }
}

/** Runs all checks at once, and keeps their order. */
async function* run(checks: Checks): AsyncGenerator<Line> {
  for (const line of Object.entries(checks).map(([name, look]) => check(name, look))) yield await line;
}

async function check(name: string, look: Checks[string]): Promise<Line> {
  try {
    return { check: name, ...(await within(checkMs, 'no answer within 10 s', (async () => look())())) };
  } catch (error) {
    const { message } = error as Error;
    const isFinding = error instanceof HalfRestored;
    return { check: name, ...fail(isFinding ? message : `it could not be checked: ${message}`) };
  }
}

/** Checks the settings of services started here, and Node.js. */
const settingsChecks = (env: AdminTerminal['env']): Checks => ({
  ...Object.fromEntries(servicesOf(env).map((name) => [`settings of ${name}`, () => settings(name, env)])),
  'Node.js': () => {
    const { node } = process.versions;
    return Number.parseInt(node, 10) < leastNode ? fail(`${node} is too old: use ${leastNode}`) : ok(node);
  },
});

function settings(service: ServiceName, env: AdminTerminal['env']): Finding {
  const { faults } = settingsInForce(service, env);
  return faults.length === 0 ? ok('nothing is wrong') : fail(faults.join('; '));
}

/** Finds jobs that have waited too long for a worker. */
async function waitingJobs({ jobs }: Pick<Store, 'jobs'>, kind: JobRecord['kind']): Promise<Finding> {
  const [oldest, ...others] = await jobs.forgotten([kind], stuckMs);
  if (!oldest) return ok('none waits for more than 10 min');
  const minutes = Math.round((Date.now() - oldest.queuedAt.getTime()) / 60_000);
  return warn(
    `${others.length + 1} wait for more than 10 min, ${oldest.id} for ${minutes} min: look at \`sluice-admin queues\`, start more ${kind === 'export' ? 'export' : 'ingest'} workers`,
  );
}

import { docker, type Stack } from '../compose/stack.ts';

/** What the record of no job has, and jobs that never end. */
const script = `
  const unfinished = db.jobs.countDocuments({ state: { $in: ['waiting', 'active'] } });
  const ended = db.jobs.find({ state: { $nin: ['waiting', 'active'] } }, { _id: 1 }).toArray().map(({ _id }) => _id);
  const chunks = db.chunks.countDocuments({ job: { $in: ended } });
  const kept = new Set();
  db.jobs.find({}, { 'parts.id': 1 }).forEach(({ parts }) => parts.forEach(({ id }) => kept.add(id)));
  const parts = db.parts.find({}, { _id: 1 }).toArray().filter(({ _id }) => !kept.has(_id.toHexString())).length;
  print(JSON.stringify({ unfinished, chunks, parts }));
`;

/** All of these are 0 or empty once every job is over. */
export interface Leftovers {
  /** Jobs that wait or run. */
  unfinished: number;
  /** Chunks of finished imports. */
  chunks: number;
  /** Parts of files that no job records. */
  parts: number;
  /** Jobs in Redis. */
  queued: number;
  /** Processes whose parent does not collect their exit. */
  zombies: number;
  /** Services that do not run as they should. */
  ailing: string[];
}

/** The expected leftovers. Chunks stay a minute after their job, because a late worker might still write them. */
export const nothing: Leftovers = { unfinished: 0, chunks: 0, parts: 0, queued: 0, zombies: 0, ailing: [] };

/** `members`: those of the replica set. */
export async function leftovers(stack: Stack, members: string[]): Promise<Leftovers> {
  const url = `mongodb://${members.map((name) => `${name}:27017`).join()}/sluice?replicaSet=rs0`;
  const stored = await stack.compose(
    'exec',
    '-T',
    'mongo',
    'mongosh',
    url,
    '--quiet',
    '--norc',
    '--eval',
    script,
  );
  return { ...JSON.parse(stored), queued: await queued(stack), ...(await processes(stack)) };
}

async function queued(stack: Stack): Promise<number> {
  const redis = (...args: string[]) => stack.compose('exec', '-T', 'redis', 'redis-cli', ...args);
  const keys = (await redis('--scan')).split('\n');
  const lists = keys.filter((key) => /:(active|wait)$/.test(key));
  const sets = keys.filter((key) => key.endsWith(':prioritized'));
  const lengths = await Promise.all([
    ...lists.map((key) => redis('LLEN', key)),
    ...sets.map((key) => redis('ZCARD', key)),
  ]);
  const failed = keys.filter((key) => key.endsWith(':failed')).length;
  return lengths.reduce((sum, length) => sum + Number(length), failed);
}

async function processes(stack: Stack): Promise<Pick<Leftovers, 'zombies' | 'ailing'>> {
  const all = (await stack.compose('ps', '--all', '--format', 'json')).split('\n').filter(Boolean);
  const containers = all.map((line) => JSON.parse(line)).filter(({ Service }) => Service !== 'mongo-init');
  const ailing = containers.filter(
    ({ State, Health }) => State !== 'running' || (Health && Health !== 'healthy'),
  );
  let zombies = 0;
  for (const { ID, State } of containers) {
    if (State !== 'running') continue;
    const states = (await docker('top', ID, '-eo', 'pid,stat')).split('\n').slice(1);
    zombies += states.filter((line) => /\sZ/.test(line)).length;
  }
  return { zombies, ailing: ailing.map(({ Service }) => Service) };
}

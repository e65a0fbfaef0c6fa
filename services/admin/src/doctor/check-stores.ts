import type { Store } from '@sluice/jobs/connect.ts';
import type { Redis } from '@sluice/jobs/queue/redis.ts';
import type { Disagreements } from '@sluice/store/disagreements.ts';
import type { Inspection } from '@sluice/store/inspect.ts';
import { inspectRedis, type RedisFacts } from '../inspect-redis.ts';
import { type Checks, clock, type Finding, fail, fullness, ok, warn } from './finding.ts';

const majorityMs = 5_000;
const backupMs = 26 * 3_600_000;
/** Every ten minutes export workers remove files that are an hour old. */
const orphanMs = 2 * 3_600_000;

/** Checks the database and its server. */
export const mongodbChecks = ({
  inspection,
  disagreements,
  parts,
  backup: { refuseHalfRestored, lastAt },
  clock: now,
}: Store): Checks => ({
  'MongoDB version': async () => mongodbVersion(await inspection.version()),
  'MongoDB clock': () => clock(now),
  'write concern': async () => {
    const asked = performance.now();
    return inspection.writeToMajority(majorityMs).then(
      () => ok(`a majority journaled a write after ${Math.round(performance.now() - asked)} ms`),
      (error: Error) =>
        fail(
          `a majority did not journal a write within 5 s (${error.message}): start the missing members, or look at the logs and disks of the secondaries`,
        ),
    );
  },
  'MongoDB disk': async () => {
    const disk = await inspection.disk();
    if (!disk) return ok('MongoDB does not tell');
    return fullness(disk, [0.8, 0.95], 'make room, or delete applications or exports');
  },
  database: async () => {
    await refuseHalfRestored();
    return database(await inspection.versions());
  },
  indexes: async () => {
    const missing = await inspection.missingIndexes();
    return missing.length === 0
      ? ok('all are there')
      : fail(`missing: ${missing.join(', ')}; restart a service, which creates them`);
  },
  parts: async () => {
    const orphaned = await parts.orphaned(new Date(Date.now() - orphanMs), 1_000);
    return orphaned.length === 0
      ? ok('all belong to a job')
      : warn(`parts of ${orphaned.length} jobs that are gone: start an export worker, which removes them`);
  },
  backup: async () => backup(await lastAt()),
  validators: async () => validators(await disagreements.counts()),
});

/** Checks MongoDB where it is no cluster. */
export const replicaSetChecks = ({ inspection, cluster }: Store): Checks => ({
  'replica set': async () =>
    (await cluster.isShard())
      ? fail('it is one shard of a cluster, with only a part of the data: name mongos in MONGODB_URL')
      : replicaSet(await inspection.replicaSet()),
});

function mongodbVersion(found: string): Finding {
  const major = Number.parseInt(found, 10);
  if (major < 6) return fail(`${found} is too old: use MongoDB 8`);
  return major < 7 ? warn(`${found} is no longer maintained: use MongoDB 8`) : ok(found);
}

function database({ database: found, current }: Awaited<ReturnType<Inspection['versions']>>): Finding {
  if (found === undefined) return warn('it is empty: start a service');
  const message = `it has version ${found}`;
  if (found > current) return fail(`${message}, and this Sluice knows ${current}: use the newer Sluice`);
  return found < current ? warn(`${message}: start a service, which upgrades it to ${current}`) : ok(message);
}

function replicaSet(found: Awaited<ReturnType<Inspection['replicaSet']>>): Finding {
  if (!found)
    return fail('MongoDB runs alone: start it with --replSet, and run rs.initiate() once in mongosh');
  const { members, arbiters, isJournaled } = found;
  const message = `members with data: ${members}, arbiters: ${arbiters}`;
  if (!isJournaled) return warn(`${message}: set writeConcernMajorityJournalDefault to true`);
  if (arbiters > 0)
    return warn(`${message}: when one with data is away nothing can be stored; replace the arbiters`);
  return members < 3
    ? warn(`${message}: nothing can be stored when one is away; three members survive that`)
    : ok(message);
}

function validators(found: Disagreements | undefined): Finding {
  if (!found) return ok('they never disagreed');
  const { refused_by_judge, refused_by_ajv, at } = found;
  return warn(
    `they disagreed, at ${at.toISOString()} for the last time; payloads that only the judge refused: ${refused_by_judge}, only Ajv: ${refused_by_ajv}: report the log lines with judge.disagreement`,
  );
}

function backup(last: Date | undefined): Finding {
  if (!last) return warn('none was made yet: run `sluice-admin backup` every night');
  const age = Date.now() - last.getTime();
  const message = `the last one ended ${Math.round(age / 3_600_000)} h ago`;
  return age < backupMs ? ok(message) : warn(`${message}: look why the nightly one failed`);
}

/** Checks Redis, but not its contents. */
export function redisChecks(redis: Redis): Checks {
  const facts = inspectRedis(redis);
  const of = (look: (found: RedisFacts) => Finding) => async () => look(await facts);
  return {
    'Redis version': of(redisVersion),
    'Redis clock': () => clock(async () => (await inspectRedis(redis)).now),
    'Redis role': of(({ role }) =>
      role === 'master' ? ok(role) : fail(`${role}: it takes no writes, so name the master in REDIS_URL`),
    ),
    'Redis eviction': of(({ evictionPolicy }) =>
      evictionPolicy === 'noeviction'
        ? ok(evictionPolicy)
        : fail(`${evictionPolicy} can remove jobs: set maxmemory-policy to noeviction`),
    ),
    'Redis persistence': of(persistence),
    'Redis memory': of(({ usedMemory: used, maxMemory: total }) =>
      total === 0
        ? ok(`${Math.round(used / 1024 ** 2)} MiB are used, without a limit`)
        : fullness({ used, total }, [0.8, 0.95], 'raise maxmemory, or start more workers'),
    ),
  };
}

function redisVersion({ version: found }: RedisFacts): Finding {
  const [product, number = ''] = found.split(' ');
  const [major = 0, minor = 0] = number.split('.').map(Number);
  const isTooOld = product === 'Redis' && (major < 6 || (major === 6 && minor < 2));
  return isTooOld ? fail(`${found} is too old: use Redis 6.2 or later`) : ok(found);
}

function persistence({ isPersistent, isFailing }: RedisFacts): Finding {
  if (isFailing) return fail('Redis cannot write to its disk: look at its log');
  return isPersistent
    ? ok('it keeps its data over a restart')
    : warn('after a restart it is empty, and jobs start again within 10 s: set appendonly to yes');
}

import type { ApiError } from '@sluice/shared/errors.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { until } from '../../../../test/support/sluice.ts';
import { createQuotas } from './quota.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
const none = { entryQuota: undefined, byteQuota: undefined };
const usual = { applicationQuota: 2, jobQuota: 2, importQuota: 1_000, ...none };

/** An owner with one application, and entries of it. */
async function start(config: Partial<typeof usual> | { entryQuota: number } | { byteQuota: number } = {}) {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const quotas = createQuotas({
    store,
    config: { ...usual, ...config },
    log,
    timings: { quotaCountMs: 1_000 },
  });
  onTestFinished(quotas.close);
  const owner = { id: new ObjectId().toHexString(), username: 'ada' };
  const create = async (domain: string) =>
    (await store.applications.create({
      owner,
      domain,
      name: domain,
      type: 'other',
      connectors: [],
      rawSchema: '{}',
    })) as { id: string };
  const { id: application } = await create('first');
  return {
    db,
    store,
    quotas,
    owner: owner.id,
    application,
    create,
    upload: (count: number) =>
      store.entries.insert(Array.from({ length: count }, () => ({ application, ...payloadOf({ a: 1 }) }))),
  };
}

const refusal = (message: RegExp) =>
  expect.objectContaining({
    name: 'TooManyRequestsError',
    message: expect.stringMatching(message),
    headers: { 'retry-after': '60' },
  });

it('refuses the next of what an owner has enough of, and nothing of other owners', async () => {
  const { quotas, owner, create } = await start();
  await quotas.check('applications', owner);
  await create('second');
  await expect(quotas.check('applications', owner)).rejects.toEqual(
    refusal(
      /^you have reached your limit of 2 applications; delete one, or ask the operator to raise APPLICATION_QUOTA; nothing was stored$/,
    ),
  );
  await quotas.check('applications', new ObjectId().toHexString());
  for (const name of ['jobs', 'storedExports', 'importBytes'] as const) await quotas.check(name, owner);
});

it('counts jobs, kept exports and bytes of imports, each for itself', async () => {
  const { quotas, store, owner, application } = await start();
  const of = { application, owner, domain: 'first' };
  const options = { format: 'ndjson', formulas: 'escape', lineLimit: 1_000 } as const;
  const job = await store.jobs.imports.create({ ...of, options });
  await store.jobs.imports.touch(job.id, 999);
  await quotas.check('importBytes', owner);
  await store.jobs.imports.touch(job.id, 1_000);
  await expect(quotas.check('importBytes', owner)).rejects.toEqual(
    refusal(/ 1,000 bytes of unfinished .*IMPORT_QUOTA/),
  );
  await quotas.check('jobs', owner);
  await store.jobs.imports.create({ ...of, options });
  await expect(quotas.check('jobs', owner)).rejects.toEqual(refusal(/ 2 unfinished jobs; .*JOB_QUOTA/));
  await quotas.check('storedExports', owner);
});

it.each([
  [{ entryQuota: 3 }, / 3 entries; delete some, .*ENTRY_QUOTA/],
  [{ byteQuota: 36 }, / 36 bytes of payloads; delete entries, .*BYTE_QUOTA/],
])('of entries uploads know what the last look found, others look: %j', async (config, message) => {
  const { quotas, owner, application, store, upload } = await start(config);
  const check = quotas.checkUpload as (ownerId: string) => void;
  await upload(2);
  await quotas.checkEntries(owner);
  await upload(1);
  check(owner);
  await expect(quotas.checkEntries(owner)).rejects.toEqual(refusal(message));
  expect(() => check(owner)).toThrow(refusal(message));
  check(new ObjectId().toHexString());
  expect((await store.applications.remove('first', owner, 0))?.id).toBe(application);
  await until(async () => {
    try {
      check(owner);
      return true;
    } catch (error) {
      return (error as ApiError).status !== 429;
    }
  });
});

it('asks nothing of uploads where no quota of entries is set', async () => {
  const { quotas, owner, upload } = await start();
  expect(quotas.checkUpload).toBeUndefined();
  await upload(100);
  await quotas.checkEntries(owner);
});

import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, it } from 'vitest';
import { modelEntries } from '../../../test/support/model-entries.ts';
import { openStore, ownDatabase } from '../../../test/support/own-database.ts';
import { createPurge } from './purge.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
const never = new AbortController().signal;
const owner = { id: 'b'.repeat(24), username: 'b' };

it('comes back for what was stored while it was at work, however long that took', async () => {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  const fields = { name: 'a', type: 'other', connectors: [], rawSchema: '{}', domain: 'a-abc234', owner };
  const application = (await store.applications.create(fields))?.id as string;
  const model = await modelEntries(db, { spacing: 5, application });
  await model.insert([1_000, 1_001]);
  await store.applications.remove(fields.domain, owner.id, 0);
  const graceMs = 3_000;
  let isFirst = true;
  const jobs: typeof store.jobs = {
    ...store.jobs,
    /** Its jobs take longer than the grace, and an upload is stored meanwhile. */
    async ofApplication(id, most) {
      if (isFirst) {
        isFirst = false;
        await model.insert([1_002]);
        const isOlder = async () => (await store.applications.tombstone(id, graceMs))?.isOlder;
        await expect.poll(isOlder, { timeout: 60_000 }).toBe(true);
      }
      return store.jobs.ofApplication(id, most);
    },
  };
  const purge = createPurge({ store: { ...store, jobs }, graceMs, log });
  await expect(purge({ applicationId: application }, never)).rejects.toBeInstanceOf(Postpone);
  expect(await store.applications.tombstone(application)).toBeDefined();
  await purge({ applicationId: application }, never);
  expect(await store.applications.tombstone(application)).toBeUndefined();
  expect(await model.entries.count(application, {})).toBe(0);
});

import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import { createJobMetrics } from '@sluice/jobs/queue/monitor.ts';
import { createRun } from '@sluice/jobs/run.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { createMetrics } from '@sluice/shared/metrics/metrics.ts';
import { expect, it } from 'vitest';
import { modelEntries } from '../../../../test/support/model-entries.ts';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { quickTimings } from '../../../../test/support/quick-timings.ts';
import { deletionKind } from './deletion-kind.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
const never = new AbortController().signal;
const owner = { id: 'b'.repeat(24), username: 'b' };

it('hands its job back while other owners wait, and goes on behind what it deleted', async () => {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  const fields = { name: 'a', type: 'other', connectors: [], rawSchema: '{}', domain: 'a-abc234', owner };
  const application = (await store.applications.create(fields))?.id as string;
  const model = await modelEntries(db, { spacing: 500, application });
  await model.insert(Array.from({ length: 5_000 }, (_, n) => 1_000 + n));
  const { id: jobId } = await store.jobs.create({
    kind: 'deletion',
    application,
    owner: owner.id,
    domain: fields.domain,
    options: { to: new Date(5_500) },
  });

  const begins: (string | undefined)[] = [];
  const entries: typeof store.entries = {
    ...store.entries,
    pieces(id, walked, most) {
      begins.push(walked.after);
      return store.entries.pieces(id, walked, most);
    },
  };
  const deleteEntries = createRun(
    {
      store,
      retentionMs: 60_000,
      log,
      queue: { moveUp: async () => {}, isOutweighed: async () => true },
      timings: { ...quickTimings, turnMs: 0 },
      metrics: createJobMetrics('deletion', createMetrics({ port: 0, token: undefined })),
    },
    deletionKind({ store: { ...store, entries }, leaseMs: quickTimings.leaseMs, log }),
  );
  const deliver = () => deleteEntries({ jobId }, never, () => {}).catch((error) => error);
  for (let left = 4_000; left > 500; left -= 1_000) {
    expect(await deliver()).toBeInstanceOf(Postpone);
    expect(await model.entries.count(application, {})).toBe(left);
  }
  while ((await deliver()) instanceof Postpone);
  expect(new Set(begins).size).toBe(begins.length);
  expect(await store.jobs.get(jobId)).toMatchObject({ state: 'completed', result: { deleted: 4_500 } });
  expect(await model.entries.count(application, {})).toBe(500);
});

import { createHash } from 'node:crypto';
import { createLineKeys } from '@sluice/store/entries/entry-id.ts';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { count, expectAll, fail, lines, type Run, settle, startFailing } from '../support/failed-import.ts';
import { payloadOf } from '../support/payload-of.ts';
import { until } from '../support/sluice.ts';

/** Puts an entry where the line will be stored, so that the import fails there. */
async function occupy({ chunks, store, application, id }: Run, seq: number, line: number): Promise<void> {
  const stamp = Date.now();
  await chunks.updateOne({ seq }, { $set: { stamp } });
  const keyOf = createLineKeys(application, stamp, createHash('sha256').update(id).digest());
  await store.entries.insertKeyed([{ key: keyOf(line), ...payloadOf({ other: true }) }]);
}

describe('an import that failed is retried, and stores each line once,', () => {
  it('in the order of the file; of two retries at once one is taken', async () => {
    const run = await startFailing();
    const worker = await fail(run);
    await worker.stop();
    const before = await run.store.jobs.get(run.id);
    expect(before?.expiresAt?.getTime()).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    const answers = await Promise.all([run.retry(), run.retry()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    const [taken] = answers.sort((a, b) => a.status - b.status);
    const { state, progress, ...job } = taken?.body.data ?? {};
    expect([state, progress.total]).toEqual(['waiting', count]);
    for (const field of ['error', 'finishedAt']) expect(job).not.toHaveProperty(field);
    const record = await run.store.jobs.get(run.id);
    expect(record).toMatchObject({ attempts: 0, fence: (before?.fence as number) + 1 });
    expect(record).not.toHaveProperty('expiresAt');
    const retried = async () => {
      const { body } = await run.sluice.request('GET', '/users/me/activity', { token: run.token });
      return body.data.result.filter(({ action }: { action: string }) => action === 'import.retried');
    };
    await expect
      .poll(retried, { timeout: 60_000 })
      .toEqual([expect.objectContaining({ application: run.domain, job: run.id })]);

    await run.work();
    await run.ended();
    const inOrder = (await run.stored()).map(({ payload }) => payload.n);
    expect(inOrder.findIndex((n, at) => at > 0 && n <= inOrder[at - 1])).toBe(-1);
    await expectAll(run);
    const { status, body } = await run.retry();
    expect([status, body.error.name]).toEqual([409, 'ResourceConflictError']);
    expect(body.error.message).toContain('it is completed, and only a failed one can be retried');
  }, 120_000);

  it('also of a chunk of which some lines were stored long before', async () => {
    const run = await startFailing();
    // Two commands of 2,000 lines of its chunk are stored before it.
    await occupy(run, 1, 9_500);
    await run.work();
    const failed = await run.ended();
    const stored = await run.stored();
    // The other entry is none of its own.
    expect(failed).toMatchObject({
      state: 'failed',
      error: /^line 9500 would take the place/,
      accepted: stored.length - 1,
      progress: { done: stored.length - 1 + failed.rejected },
    });
    const part = stored.filter(({ payload }) => payload.n >= 5_000 && payload.n < 10_000);
    expect([part.length > 1_000, part.length < 5_000]).toEqual([true, true]);
    await settle(run);
    expect((await run.retry()).status).toBe(202);
    await expectAll(run);
    const keys = new Set((await run.stored()).map(({ _id }) => _id.toString('hex')));
    expect(part.filter(({ _id }) => !keys.has(_id.toString('hex')))).toEqual([]);
  }, 120_000);

  it('also when it fails again for the same reason, until that is mended', async () => {
    const run = await startFailing();
    await occupy(run, 2, 10_100);
    await run.work();
    for (const _ of [1, 2]) {
      expect(await run.ended()).toMatchObject({ state: 'failed', error: /^line 10100 would take/ });
      expect((await run.retry()).status).toBe(202);
    }
    expect(await run.ended()).toMatchObject({ state: 'failed' });
    await run.db.collection('entries').deleteMany({ 'payload.other': true });
    expect((await run.retry()).status).toBe(202);
    await expectAll(run);
  }, 120_000);
});

it('an import that failed counts in IMPORT_QUOTA and keeps its chunks until it is removed', async () => {
  const run = await startFailing(count, { IMPORT_QUOTA: '1KiB' });
  await fail(run);
  const refused = await run.client.start(run.domain, lines(0, 10));
  expect([refused.status, refused.body.error.message]).toEqual([
    429,
    expect.stringContaining('IMPORT_QUOTA'),
  ]);
  // As if nobody had been writing for long: a sweep leaves them all the same.
  await settle(run);
  expect(await run.chunks.countDocuments({ state: 'open' })).toBeGreaterThan(0);
  const remove = await run.sluice.request('DELETE', run.path, { token: run.token });
  expect(remove.status).toBe(200);
  expect((await run.retry()).status).toBe(404);
  await until(async () => (await run.chunks.countDocuments()) === 0);
  expect(await run.db.collection('parts').countDocuments({ job: new ObjectId(run.id) })).toBe(0);
  expect((await run.client.start(run.domain, lines(0, 10))).status).toBe(202);
}, 120_000);

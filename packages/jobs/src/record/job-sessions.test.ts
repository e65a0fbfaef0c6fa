import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';

const anyId = () => new ObjectId().toHexString();

it('a job is cancelled without waiting for the transaction of a worker that may be dead', async () => {
  // MongoDB would end the transaction after a minute.
  const { jobs } = openStore((await ownDatabase()).url, 20_000);
  const fields = { application: anyId(), owner: anyId(), domain: 'a-abc234', options: {} };
  const { id } = await jobs.create({ ...fields, kind: 'replay' });
  const job = await jobs.claim('replay', id, 60_000);
  if (!job) throw new Error('none');
  const { session, end } = await jobs.openSession(job);
  session.startTransaction();
  expect(await jobs.renew(id, job.fence, 60_000, session)).toBe(true);
  expect(await jobs.cancel(id, new Date(Date.now() + 60_000))).toBe('ended');
  await expect(session.commitTransaction()).rejects.toThrow();
  expect((await jobs.get(id))?.state).toBe('cancelled');
  await end();
});

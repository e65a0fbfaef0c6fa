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

it('others need not wait for the transaction of a dead worker, whose job nobody has taken yet', async () => {
  // MongoDB would end the transaction after a minute.
  const { jobs, rawEntries } = openStore((await ownDatabase()).url, 20_000);
  const application = anyId();
  const fields = { application, owner: anyId(), domain: 'a-abc234', options: {} };
  const { id } = await jobs.create({ ...fields, kind: 'deletion' });
  const dead = await jobs.claim('deletion', id, 0);
  if (!dead) throw new Error('none');
  const { session, end } = await jobs.openSession(dead);
  session.startTransaction();
  await rawEntries.cut(application, session);
  const waiting = rawEntries.cut(application);
  await jobs.unlockAll();
  expect((await waiting).announced).toBe(1);
  await end();
});

it('the transaction of a worker that is alive goes on', async () => {
  const { jobs } = openStore((await ownDatabase()).url);
  const fields = { application: anyId(), owner: anyId(), domain: 'a-abc234', options: {} };
  const { id } = await jobs.create({ ...fields, kind: 'deletion' });
  const job = await jobs.claim('deletion', id, 60_000);
  if (!job) throw new Error('none');
  const { session, end } = await jobs.openSession(job);
  session.startTransaction();
  expect(await jobs.renew(id, job.fence, 60_000, session)).toBe(true);
  await jobs.unlockAll();
  await session.commitTransaction();
  await end();
});

import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { ApplicationStore } from '@sluice/store/applications/applications.ts';
import type { FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { listOf } from '../http/answers.ts';
import { createCapacities } from '../limits/capacity.ts';
import { type ActivityOf, createActivityOf } from './activity.ts';
import { createListApplications } from './to-json.ts';

const ownerId = randomBytes(12).toString('hex');

/** A store with so many applications of the owner, each with a schema of so many bytes. */
async function filled(count: number, schemaBytes: number) {
  const store = openStore((await ownDatabase()).url);
  const { applications } = store;
  const rawSchema = JSON.stringify({ type: 'object', x: 'x'.repeat(schemaBytes) });
  for (let n = 0; n < count; n++) {
    const fields = { name: `no ${n}`, type: 'web', connectors: [], rawSchema, domain: `no-${n}` };
    await applications.create({ ...fields, owner: { id: ownerId, username: 'somebody' } });
  }
  return { applications, activityOf: createActivityOf(store) };
}

/** The store, and how often it is read: in all, and at most at the same time. */
function watched({ byIds }: ApplicationStore) {
  const readings = { all: 0, now: 0, most: 0 };
  return {
    readings,
    async byIds(ids: string[]) {
      readings.all += 1;
      readings.now += 1;
      readings.most = Math.max(readings.most, readings.now);
      return byIds(ids).finally(() => {
        readings.now -= 1;
      });
    },
  };
}

const openReply = () => ({ raw: new PassThrough() }) as unknown as FastifyReply;

const listing = (applications: Pick<ApplicationStore, 'byIds'>, activityOf: ActivityOf) =>
  createListApplications(applications, activityOf, createCapacities());

async function namesIn(pieces: AsyncIterable<string>): Promise<string[]> {
  let text = '';
  for await (const piece of listOf(pieces)) text += piece;
  return JSON.parse(text).data.map(({ name }: { name: string }) => name);
}

it('lists of large applications at the same time are all whole, and read one application at a time', async () => {
  const { applications, activityOf } = await filled(6, 200_000);
  const { readings, byIds } = watched(applications);
  const list = listing({ byIds }, activityOf);
  const sizes = await applications.sizesOf(ownerId, {});
  const lists = await Promise.all(
    Array.from({ length: 8 }, () => namesIn(list(openReply(), ownerId, sizes))),
  );
  expect(lists).toEqual(Array(8).fill(['no 5', 'no 4', 'no 3', 'no 2', 'no 1', 'no 0']));
  expect(readings).toEqual({ all: 48, now: 0, most: 1 });
});

it('a list is read no further than its client takes it, and does not hold up others', async () => {
  const { applications, activityOf } = await filled(3, 200_000);
  const { readings, byIds } = watched(applications);
  const list = listing({ byIds }, activityOf);
  const sizes = await applications.sizesOf(ownerId, {});
  const slow = list(openReply(), ownerId, sizes);
  await slow.next();
  expect(readings.all).toBe(1);
  expect(await namesIn(list(openReply(), ownerId, sizes))).toHaveLength(3);
  expect(readings.all).toBe(4);
});

it.each([[[0]], [[1]], [[2]], [[0, 1, 2]]])(
  'of large applications those that are deleted meanwhile are left out: %j',
  async (gone) => {
    const { applications, activityOf } = await filled(3, 200_000);
    const sizes = await applications.sizesOf(ownerId, {});
    for (const n of gone) await applications.remove(`no-${n}`, ownerId, 0);
    const left = [2, 1, 0].filter((n) => !gone.includes(n)).map((n) => `no ${n}`);
    expect(await namesIn(listing(applications, activityOf)(openReply(), ownerId, sizes))).toEqual(left);
  },
);

import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import type { Sender } from './senders.ts';

const newId = () => new ObjectId().toHexString();

it('each sender of an application has one number, however many processes ask at once', async () => {
  const { url } = await ownDatabase();
  const first = openStore(url);
  await first.prepare();
  const processes = [first, openStore(url), openStore(url)].map(({ senders }) => senders);
  const application = newId();
  const key = newId();
  const senders: Sender[] = [
    { source: 'upload', key },
    { source: 'batch', key },
    { source: 'batch' },
    { source: 'upload', user: newId() },
    { source: 'import', job: newId() },
    { source: 'replay', key, job: newId() },
  ];
  const asked = await Promise.all(
    processes.map((process) => Promise.all(senders.map((one) => process.numberOf(application, one)))),
  );
  const [numbers = []] = asked;
  expect(asked).toEqual(processes.map(() => numbers));
  expect(numbers.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await first.senders.numberOf(application, { source: 'upload' })).toBe(0);
  expect(
    [
      ...(await openStore(url).senders.byNumber(application, [0, ...numbers, ...numbers])).entries(),
    ].toSorted(),
  ).toEqual([[0, { source: 'upload' }], ...numbers.map((number, at) => [number, senders[at]])].toSorted());
  expect((await first.senders.ofKey(application, key)).toSorted()).toEqual(
    [numbers[0], numbers[1], numbers[5]].toSorted(),
  );
  expect(await first.senders.numberOf(newId(), { source: 'batch' })).toBe(1);
});

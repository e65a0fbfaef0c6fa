import { createCountKeys } from '@sluice/store/refused/refusal-counts.ts';
import { expect, it } from 'vitest';
import { alertWorld, minuteMs } from '../../../../test/support/alert-world.ts';

const hourMs = 60 * minuteMs;

it('mails at most twice within an hour of 10,000 refusals a minute', async () => {
  const { db, store, mails, wake, setTime, application } = await alertWorld({
    refused: { count: 100, minutes: 5 },
  });
  const keyOf = createCountKeys();
  // Half an hour before a full hour: these 60 minutes are of two hours.
  const begin = (Math.floor(Date.now() / hourMs) - 1) * hourMs + 30 * minuteMs;
  for (let minute = 0; minute < 60; minute++) {
    const at = begin + minute * minuteMs;
    setTime(at);
    // Refusals that stop and go on each 8 minutes: each time the threshold is reached anew.
    const total = minute % 8 < 2 ? 10_000 : 0;
    if (total > 0) {
      const key = keyOf(application.id, at);
      await store.refusalCounts.write([{ key, total, reasons: [] }]);
    }
    await wake();
    await mails();
  }
  const sent = await db.collection('mails').find().toArray();
  expect(sent.map(({ content }) => content.news)).toEqual(
    Array(2).fill([{ type: 'refusals.threshold', data: { refused: expect.any(Number), minutes: 5 } }]),
  );
});

it('keeps at most 200 mails of an owner waiting, and tells the rest later', async () => {
  const { db, store, mails, wake, serve, upload } = await alertWorld({ silence: 10 });
  const [alert] = await db.collection('alerts').find().toArray();
  const owner = alert?.user;
  const waiting = Array.from({ length: 200 }, (_, n) => ({
    _id: `waiting ${n}` as never,
    owner,
    dueAt: new Date(8.64e15),
  }));
  await db.collection('mails').insertMany(waiting);
  await upload();
  await mails();
  await serve(10);
  expect(await mails()).toBe(200);
  await db.collection('mails').deleteOne({ _id: 'waiting 0' as never });
  await wake();
  expect(await mails()).toBe(200);
  expect(await store.mails.take(60_000)).toMatchObject({ content: { matter: 'silence' } });
});

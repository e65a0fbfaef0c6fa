import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { until } from '../../../../test/support/sluice.ts';
import { createTurns } from './turns.ts';

const [anna, ben, cleo] = ['a', 'b', 'c'].map((digit) => digit.repeat(24)) as [string, string, string];
const application = 'd'.repeat(24);

async function start() {
  const { url } = await ownDatabase();
  const store = openStore(url);
  const { imports } = store.jobs;

  /** An import of as many chunks, received. */
  async function create(owner: string, count = 3): Promise<string> {
    const options = { format: 'ndjson', formulas: 'raw', lineLimit: 1_000 } as const;
    const { id } = await imports.create({ application, owner, domain: 'test', options });
    const chunk = { job: id, application, owner, lines: 1, part: application, bytes: 1 };
    for (let seq = 0; seq < count; seq++) await store.chunks.add({ ...chunk, seq });
    const received = await imports.receive(id, { total: count, held: count });
    // Times are in milliseconds: the next one is later than this one.
    await until(async () => Date.now() > (received?.queuedAt.getTime() ?? Number.POSITIVE_INFINITY));
    return id;
  }
  return { store, create, turns: createTurns(store) };
}

it("are first of owners with the fewest chunks under way, and of one owner's in the order in which they came", async () => {
  const { store, create, turns } = await start();
  const [first, second, third] = [await create(anna), await create(anna), await create(ben)];
  expect(await turns()).toEqual([first, second, third]);
  await store.chunks.take(first, 60_000);
  expect(await turns()).toEqual([third, first, second]);
});

it('go round: among owners with as many under way, who had one waits for those who had none', async () => {
  const { store, create, turns } = await start();
  const imports = new Map([
    [await create(anna), anna],
    [await create(ben), ben],
    [await create(cleo), cleo],
  ]);
  const order: (string | undefined)[] = [];
  for (let i = 0; i < 6; i++) {
    const [next = new ObjectId().toHexString()] = await turns();
    const chunk = await store.chunks.take(next, 60_000);
    const owner = imports.get(next) as string;
    order.push(owner);
    await store.turns.note('import', owner);
    expect(
      await store.chunks.commit(chunk?.id as string, chunk?.fence as number, { accepted: 1, rejected: 0 }),
    ).toBe(true);
    const taken = Date.now();
    await until(async () => Date.now() > taken);
  }
  expect(order).toEqual([anna, ben, cleo, anna, ben, cleo]);
});

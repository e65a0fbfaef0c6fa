import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { runs } from '../../../../test/support/runs.ts';
import { largeNumbers, maxLeafCharacters, maxLeafLength, maxLeaves } from './leaves.ts';

const start = async () => openStore((await ownDatabase()).url).leaves;

const newApplication = () => new ObjectId().toHexString();
const named = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `/${from + i}`);

const tooLong = `/${'x'.repeat(maxLeafLength)}`;

describe('leaves on record', () => {
  it('are each there once, in the order of each process, however many add some at once', async () => {
    const leaves = await start();
    const some = fc.uniqueArray(fc.constantFrom(...named(12), tooLong), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 6 }), async (all) => {
        const application = newApplication();
        await Promise.all(all.map((pointers) => leaves.add(application, pointers)));
        const { pointers, overflow, closed } = await leaves.of(application);
        expect([overflow, closed]).toEqual([all.flat().includes(tooLong), false]);
        const short = all.map((list) => list.filter((pointer) => pointer !== tooLong));
        expect(pointers.toSorted()).toEqual([...new Set(short.flat())].sort());
        // What came with others that were new at the same time stands in their order.
        if (all.length === 1) expect(pointers).toEqual(short[0]);
      }),
      runs(60),
    );
  });

  it('are known to be not all, also where one that is too long comes at the same time as others', async () => {
    const leaves = await start();
    const applications = Array.from({ length: 40 }, newApplication);
    await Promise.all(applications.map((application) => leaves.add(application, ['/first'])));
    await Promise.all(
      applications.flatMap((application) =>
        [['/a'], [tooLong], ['/b']].map((pointers) => leaves.add(application, pointers)),
      ),
    );
    for (const application of applications)
      expect(await leaves.of(application)).toMatchObject({ overflow: true, closed: false });
  });

  it('stay where they are when more come', async () => {
    const leaves = await start();
    const application = newApplication();
    await leaves.add(application, ['/b', '/a']);
    await leaves.add(application, ['/c', '/a', '/d']);
    expect((await leaves.of(application)).pointers).toEqual(['/b', '/a', '/c', '/d']);
  });

  it('are full when there are too many, and then say of each new one that it is missing', async () => {
    const leaves = await start();
    const application = newApplication();
    expect(await leaves.add(application, named(maxLeaves))).toEqual({ overflow: false, closed: false });
    expect(await leaves.add(application, named(3))).toEqual({ overflow: false, closed: false });
    expect(await leaves.add(application, ['/new'])).toEqual({ overflow: true, closed: true });
    expect(await leaves.add(application, ['/7'])).toEqual({ overflow: true, closed: true });
    expect((await leaves.of(application)).pointers).toEqual(named(maxLeaves));
  });

  it('are full when their names are too long together', async () => {
    const leaves = await start();
    const application = newApplication();
    const long = (i: number) => `/${String(i).padStart(maxLeafLength - 1, 'x')}`;
    const pointers = Array.from({ length: 300 }, (_, i) => long(i));
    expect(await leaves.add(application, pointers)).toEqual({ overflow: true, closed: true });
    expect(await leaves.add(application, ['/short'])).toEqual({ overflow: true, closed: true });
    const fitting = Math.floor(maxLeafCharacters / maxLeafLength);
    expect((await leaves.of(application)).pointers).toEqual(pointers.slice(0, fitting));
  });

  it('leave out a name that is too long, and take others', async () => {
    const leaves = await start();
    const application = newApplication();
    expect(await leaves.add(application, [tooLong, '/a'])).toEqual({ overflow: true, closed: false });
    expect(await leaves.add(application, ['/b'])).toEqual({ overflow: true, closed: false });
    expect((await leaves.of(application)).pointers).toEqual(['/a', '/b']);
  });

  it('tell of large numbers for good, and are not changed by them, also when others come at the same time', async () => {
    const leaves = await start();
    const applications = Array.from({ length: 40 }, newApplication);
    await Promise.all(
      applications.flatMap((application) =>
        [['/a'], [largeNumbers], ['/b', largeNumbers], [tooLong]].map((pointers) =>
          leaves.add(application, pointers),
        ),
      ),
    );
    for (const application of applications) {
      const { pointers, hasLarge } = await leaves.of(application);
      expect([pointers.toSorted(), hasLarge]).toEqual([['/a', '/b'], true]);
      await leaves.add(application, ['/c']);
      expect((await leaves.of(application)).hasLarge).toBe(true);
    }
    const other = newApplication();
    await leaves.add(other, ['/a']);
    expect((await leaves.of(other)).hasLarge).toBe(false);
  });
});

import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { runs } from '../../../../test/support/runs.ts';
import { largeNumbers, maxFieldCharacters, maxFieldLength, maxFields } from './fields.ts';

const start = async () => openStore((await ownDatabase()).url).fields;

const newApplication = () => new ObjectId().toHexString();
const named = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `/${from + i}`);

const tooLong = `/${'x'.repeat(maxFieldLength)}`;

describe('fields on record', () => {
  it('are each there once, in the order of each process, however many add some at once', async () => {
    const fields = await start();
    const some = fc.uniqueArray(fc.constantFrom(...named(12), tooLong), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 6 }), async (all) => {
        const application = newApplication();
        await Promise.all(all.map((pointers) => fields.add(application, pointers)));
        const { pointers, overflow, closed } = await fields.of(application);
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
    const fields = await start();
    const applications = Array.from({ length: 40 }, newApplication);
    await Promise.all(applications.map((application) => fields.add(application, ['/first'])));
    await Promise.all(
      applications.flatMap((application) =>
        [['/a'], [tooLong], ['/b']].map((pointers) => fields.add(application, pointers)),
      ),
    );
    for (const application of applications)
      expect(await fields.of(application)).toMatchObject({ overflow: true, closed: false });
  });

  it('stay where they are when more come', async () => {
    const fields = await start();
    const application = newApplication();
    await fields.add(application, ['/b', '/a']);
    await fields.add(application, ['/c', '/a', '/d']);
    expect((await fields.of(application)).pointers).toEqual(['/b', '/a', '/c', '/d']);
  });

  it('are full when there are too many, and then say of each new one that it is missing', async () => {
    const fields = await start();
    const application = newApplication();
    expect(await fields.add(application, named(maxFields))).toEqual({ overflow: false, closed: false });
    expect(await fields.add(application, named(3))).toEqual({ overflow: false, closed: false });
    expect(await fields.add(application, ['/new'])).toEqual({ overflow: true, closed: true });
    expect(await fields.add(application, ['/7'])).toEqual({ overflow: true, closed: true });
    expect((await fields.of(application)).pointers).toEqual(named(maxFields));
  });

  it('are full when their names are too long together', async () => {
    const fields = await start();
    const application = newApplication();
    const long = (i: number) => `/${String(i).padStart(maxFieldLength - 1, 'x')}`;
    const pointers = Array.from({ length: 300 }, (_, i) => long(i));
    expect(await fields.add(application, pointers)).toEqual({ overflow: true, closed: true });
    expect(await fields.add(application, ['/short'])).toEqual({ overflow: true, closed: true });
    const fitting = Math.floor(maxFieldCharacters / maxFieldLength);
    expect((await fields.of(application)).pointers).toEqual(pointers.slice(0, fitting));
  });

  it('leave out a name that is too long, and take others', async () => {
    const fields = await start();
    const application = newApplication();
    expect(await fields.add(application, [tooLong, '/a'])).toEqual({ overflow: true, closed: false });
    expect(await fields.add(application, ['/b'])).toEqual({ overflow: true, closed: false });
    expect((await fields.of(application)).pointers).toEqual(['/a', '/b']);
  });

  it('tell of large numbers for good, and are not changed by them, also when others come at the same time', async () => {
    const fields = await start();
    const applications = Array.from({ length: 40 }, newApplication);
    await Promise.all(
      applications.flatMap((application) =>
        [['/a'], [largeNumbers], ['/b', largeNumbers], [tooLong]].map((pointers) =>
          fields.add(application, pointers),
        ),
      ),
    );
    for (const application of applications) {
      const { pointers, hasLarge } = await fields.of(application);
      expect([pointers.toSorted(), hasLarge]).toEqual([['/a', '/b'], true]);
      await fields.add(application, ['/c']);
      expect((await fields.of(application)).hasLarge).toBe(true);
    }
    const other = newApplication();
    await fields.add(other, ['/a']);
    expect((await fields.of(other)).hasLarge).toBe(false);
  });
});

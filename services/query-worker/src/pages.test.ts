import { readFilter } from '@sluice/api/http/filter.ts';
import { createExpireEntries } from '@sluice/ingest-worker/deletion/expire-entries.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { type Condition, toText } from '@sluice/store/entries/entry-filter.ts';
import { createKeysAt } from '@sluice/store/entries/entry-id.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { archiveRuns, ownFolder } from '../../../test/support/archive-runs.ts';
import { payloadOf } from '../../../test/support/payload-of.ts';
import {
  Digits,
  entrySteps,
  keys,
  members,
  scalar,
  text,
  toJson,
  type Version,
  versions,
} from '../../../test/support/random-entries.ts';
import { runs as times } from '../../../test/support/runs.ts';
import { versionedEntries } from '../../../test/support/versioned-entries.ts';
import { createAnswerPage } from './answer-page.ts';
import { findPage } from './duck/find-page.ts';
import type { PageAsk } from './duck/page.ts';
import type { Processes } from './processes.ts';
import { createSegments } from './segments.ts';

const never = new AbortController().signal;
const log = createLogger('test', { level: 'silent', pretty: false });
const dayMs = 86_400_000;

const keysOf = [...keys, ...members];
const pointer = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(...members).map((key) => [key]) },
    { weight: 2, arbitrary: fc.array(fc.constantFrom(...keysOf), { minLength: 1, maxLength: 3 }) },
  )
  .map(toPointer);
const tested = fc.oneof(
  scalar,
  fc.constantFrom('2026', '2026-01', '2026-01-01T', '2026-01-01T00:00:00', 'zzz', '0000', '9999-12-31T'),
);
const ordered = tested.filter((value) => value instanceof Digits || typeof value === 'string');
const condition = fc.oneof(
  ...['eq', 'ne'].map((operator) => tested.map((value) => ({ [operator]: value }))),
  ...['lt', 'lte', 'gt', 'gte'].map((operator) => ordered.map((value) => ({ [operator]: value }))),
  fc.array(tested, { maxLength: 4 }).map((value) => ({ in: value })),
  fc.boolean().map((exists) => ({ exists })),
  fc.oneof(text, fc.string({ maxLength: 2, unit: 'grapheme' })).map((contains) => ({ contains })),
);
const filter = fc.dictionary(pointer, condition, { minKeys: 1, maxKeys: 2, noNullPrototype: true });

// Entries move in one of ten steps.
const steps = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: entrySteps({ inserted: 9, late: 2 }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('move' as const) }) },
  ),
  { minLength: 8, maxLength: 14 },
);

/** An application, and who asks for pages of it, in this process. */
async function start(versions: Version[]) {
  const runs = await archiveRuns(undefined, versions[0]?.schema);
  const { application, domain, root, store, db, run, create } = runs;
  const startRun = async () =>
    void (await run(await store.askedArchives.ask(application), { fileBytes: 4_000 }));
  const processes = {
    ask: (_kind: string, asked: Omit<PageAsk, 'folder'>) => findPage({ ...asked, folder: ownFolder() }),
  } as unknown as Processes;
  const segments = createSegments({ store, startRun, folder: root });
  const answerPage = createAnswerPage({ segments, store, processes, runMs: 600_000 });
  const own = await create();
  const { insert, publish } = versionedEntries(runs, versions);

  async function move(): Promise<void> {
    await run(own);
    await store.applications.update(application, { retentionDays: 20, retentionArchive: own.id });
    await createExpireEntries({ store, auditRetentionMs: dayMs, log })(never);
    await db.collection('deletions').updateMany({}, { $unset: { holder: '', leaseUntil: '' } });
  }

  return { ...runs, answerPage, insert, publish, move, domain };
}

const page = fc.record({
  filter,
  order: fc.constantFrom('newest' as const, 'oldest' as const),
  cursor: fc.option(fc.nat(999), { nil: undefined }),
  start: fc.nat(3),
  limit: fc.integer({ min: 0, max: 9 }),
  from: fc.option(fc.nat(41), { nil: undefined, freq: 2 }),
  to: fc.option(fc.nat(41), { nil: undefined, freq: 2 }),
});

function conditionsOf(filter: object): Condition[] {
  const read = readFilter(toJson(filter));
  if (!read.ok) throw new Error(JSON.stringify(read.details));
  return read.conditions;
}

it('finds the pages and the totals that MongoDB finds', async () => {
  let decided = 0;
  let matched = 0;
  await fc.assert(
    fc.asyncProperty(
      versions,
      steps,
      fc.array(page, { minLength: 200, maxLength: 200 }),
      async (versions, steps, pages) => {
        const { answerPage, insert, publish, move, store, application, domain, storedIds } =
          await start(versions);
        const asked = pages.values();

        async function ask(): Promise<void> {
          const ids = await storedIds();
          for (const { filter, cursor: place, from, to, ...page } of asked.take(12)) {
            const conditions = conditionsOf(filter);
            const cursor = place === undefined ? undefined : ids[place % ids.length];
            const timeOf = (ago: number | undefined) =>
              ago === undefined ? undefined : new Date(Date.now() - ago * dayMs);
            const period = { from: timeOf(from), to: timeOf(to) };
            const { from: fromText, to: toTime } = JSON.parse(JSON.stringify(period));
            const reply = await answerPage(
              {
                ...{ application, domain, owner: 'b', filter: toText(conditions), cursor, ...page },
                ...{ from: fromText, to: toTime },
              },
              never,
            );
            if ('refusal' in reply) throw new Error(reply.refusal.message);
            const selection = { filter: conditions, ...period };
            const { limit } = page;
            const listed =
              page.order === 'newest'
                ? await store.entries.page(application, {
                    ...selection,
                    ...page,
                    limit: limit || 1,
                    before: cursor,
                  })
                : await store.entries.forward(application, {
                    ...selection,
                    ...page,
                    limit: limit || 1,
                    after: cursor,
                  });
            const { end } = reply.answer;
            const expected =
              limit === 0 ? [] : listed.entries.map(({ id }) => id).filter((id) => !end || id <= end);
            const total = await store.entries.count(application, selection);
            expect({ filter: toJson(filter), ids: reply.answer.ids, total: reply.answer.total }).toEqual({
              filter: toJson(filter),
              ids: expected,
              total,
            });
            decided += 1;
            matched += Math.min(total, ids.length - total);
          }
        }

        for (const [at, step] of steps.entries()) {
          if (at === Math.floor(steps.length / 2)) await publish();
          if (step.what === 'insert' || step.what === 'late') await insert(step.days, step.what === 'late');
          if (step.what === 'move') await move();
          if (step.what === 'ask') await ask();
          const ids = await storedIds();
          if (step.what === 'delete' && ids.length > 0)
            await store.deletions.removeOne(application, ids[step.place % ids.length] as string);
        }
        await ask();
      },
    ),
    { ...times(3, 8), endOnFailure: true },
  );
  expect(decided).toBeGreaterThan(20);
  expect(matched).toBeGreaterThan(0);
}, 600_000);

it('finds the pages among many, however unevenly they came', async () => {
  const day = fc.oneof(
    fc.constant(0),
    fc.nat(999).map((thousandth) => thousandth / 1_000),
    fc.nat(9),
  );
  const bursts = fc.array(fc.record({ day, count: fc.integer({ min: 1, max: 400 }) }), {
    minLength: 1,
    maxLength: 6,
  });
  const asked = fc.record({
    order: fc.constantFrom('newest' as const, 'oldest' as const),
    cursor: fc.option(fc.nat(2_000), { nil: undefined }),
    start: fc.constantFrom(0, 0, 3),
    limit: fc.integer({ min: 1, max: 4 }),
    modulus: fc.constantFrom(1, 3),
  });
  await fc.assert(
    fc.asyncProperty(bursts, fc.array(asked, { minLength: 20, maxLength: 20 }), async (bursts, pages) => {
      const { answerPage, store, application, domain, storedIds } = await start([
        { schema: { properties: { n: { type: 'integer' }, all: { type: 'boolean' } } }, payloads: [] },
      ]);
      const keysAt = createKeysAt();
      let n = 0;
      for (const { day, count } of bursts) {
        const time = Math.floor(Date.now() - (1 + day) * dayMs);
        const entries = Array.from({ length: count }, (_, at) => ({
          key: keysAt(Buffer.from(application, 'hex'), time + (at % 50)),
          ...payloadOf({ n: n++ % 3, all: true }),
          version: 1,
        }));
        await store.entries.insertKeyed(entries);
      }
      await store.horizon.confirm();
      const ids = await storedIds();
      for (const { modulus, cursor: place, ...page } of pages) {
        const filter = modulus === 1 ? ({ '/all': { eq: true } } as object) : { '/n': { eq: 1 } };
        const cursor = place === undefined ? undefined : ids[place % ids.length];
        const conditions = conditionsOf(filter);
        const reply = await answerPage(
          { application, domain, owner: 'b', filter: toText(conditions), cursor, ...page },
          never,
        );
        if ('refusal' in reply) throw new Error(reply.refusal.message);
        const selection = { filter: conditions, ...page };
        const listed =
          page.order === 'newest'
            ? await store.entries.page(application, { ...selection, before: cursor })
            : await store.entries.forward(application, { ...selection, after: cursor });
        expect(reply.answer.ids).toEqual(listed.entries.map(({ id }) => id));
      }
    }),
    { ...times(2), endOnFailure: true },
  );
});

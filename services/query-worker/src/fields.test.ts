import { readFilter } from '@sluice/api/http/filter.ts';
import { toJson } from '@sluice/json/numbers.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import type { Condition } from '@sluice/store/entries/entry-filter.ts';
import { fieldName, metaNames } from '@sluice/tables/columns.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { archiveRuns, ownFolder } from '../../../test/support/archive-runs.ts';
import { eachField } from '../../../test/support/each-field.ts';
import {
  countsOf,
  faultsOf,
  instantOf,
  keysOf,
  memberIn,
  readAnswer,
  type TestedField,
  typeOf,
} from '../../../test/support/field-oracle.ts';
import { entrySteps, type Payload, type Version, versions } from '../../../test/support/random-entries.ts';
import { runs as times } from '../../../test/support/runs.ts';
import { versionedEntries } from '../../../test/support/versioned-entries.ts';
import { answerCounts, answerFields } from './duck/fields/fields.ts';
import { isRestName } from './duck/fields/sources.ts';
import { sortPage } from './duck/sort-page.ts';
import { toFileConditions } from './file-conditions.ts';
import { createSegments } from './segments.ts';

const never = new AbortController().signal;
const dayMs = 86_400_000;

/** An application, and what is asked of its entries, in this process. */
async function start(versions: Version[], fileBytes = 4_000) {
  const runs = await archiveRuns(undefined, versions[0]?.schema);
  const { application, domain, root, store, run } = runs;
  const startRun = async () => void (await run(await store.askedArchives.ask(application), { fileBytes }));
  const { segmentsOf } = createSegments({ store, startRun, folder: root, freshMs: 0 });
  const { insert, publish } = versionedEntries(runs, versions);

  async function asked(conditions: Condition[] = []) {
    const files = await segmentsOf(application, domain, never);
    return { ...files, conditions: await toFileConditions(store, conditions), folder: ownFolder() };
  }

  /** What is asked of entries, and these. */
  async function listed(filter?: Condition[]) {
    const { entries } = await store.entries.page(application, { start: 0, limit: 1_000, filter });
    return entries;
  }

  return { ...runs, insert, publish, asked, listed };
}

const day = (time: Date) => new Date(Math.floor(time.getTime() / dayMs) * dayMs).toISOString();

interface Row {
  at: string;
  value?: unknown;
  rest?: true;
  accepted: number;
}

const filters = [
  {},
  { m0: { exists: true } },
  { m1: { ne: 1 } },
  { m2: { gte: 'a' } },
  { m3: { lt: 2.5 } },
  { '/a': { exists: false }, m4: { in: [true, null, 'a', 1] } },
];

const steps = fc.array(entrySteps({ inserted: 12, late: 3 }), { minLength: 6, maxLength: 12 });

it('describes, counts and sorts what the list has', async () => {
  let described = 0;
  await fc.assert(
    fc.asyncProperty(versions, steps, fc.nat(), async (versions, steps, seed) => {
      const { asked, listed, insert, publish, store, application, storedIds } = await start(versions);
      let turn = seed;

      async function ask(): Promise<void> {
        turn += 1;
        const read = readFilter(JSON.stringify(filters[turn % filters.length]));
        const conditions = read.ok ? read.conditions : [];
        const [question, entries] = [await asked(conditions), await listed(conditions)];
        const reply = await answerFields(question);
        if ('refusal' in reply) throw new Error(reply.refusal.message);
        const fields = readAnswer<TestedField[]>(reply.answer);
        const valuesOf = (path: string[]) => entries.map(({ payload }) => memberIn(payload, path));
        const faults = fields.flatMap((field) => faultsOf(field, valuesOf(keysOf(field.path))));
        expect(faults).toEqual([]);
        const found = new Set(fields.map(({ path }) => path));
        const reserved = ['createdAt', 'payload', 'date', ...metaNames];
        for (const { payload } of entries)
          eachField(parseJson(JSON.stringify(payload)) as Payload, (path) => {
            const name = fieldName(toPointer(path), reserved, true);
            // A field that is null everywhere, and has the name of the column of all others, is left out.
            if (!isRestName(name)) expect(found).toContain(name);
          });
        described += fields.length;

        const from = Math.floor(Date.now() / dayMs) * dayMs - 41 * dayMs;
        const days = { steps: { from, length: dayMs, count: 43 } };
        const counted = await answerCounts({ ...question, ...days });
        const totals = countsOf(entries.map(({ createdAt }) => day(createdAt)));
        const rows = 'answer' in counted ? readAnswer<Row[]>(counted.answer) : [];
        expect(rows).toHaveLength(43);
        for (const { at, accepted } of rows) expect([at, accepted]).toEqual([at, totals.get(at) ?? 0]);

        const path = keysOf(fields[turn % Math.max(fields.length, 1)]?.path ?? 'nothing');
        const byValue = await answerCounts({ ...question, ...days, path });
        if ('refusal' in byValue) throw new Error(byValue.refusal.message);
        expectRows(readAnswer<Row[]>(byValue.answer), entries, path);

        const descending = turn % 2 === 0;
        const sorted: string[] = [];
        for (let start = 0; start <= entries.length; start += 7) {
          const reply = await sortPage({ ...question, path, descending, start, limit: 7 });
          if ('refusal' in reply) throw new Error(reply.refusal.message);
          expect(reply.answer.total).toBe(entries.length);
          sorted.push(...reply.answer.ids);
        }
        expect(sorted.toSorted().toReversed()).toEqual(entries.map(({ id }) => id));
        const jsonOf = new Map(entries.map(({ id, payload }) => [id, memberIn(payload, path)]));
        const listedAs = sorted.map((id) => ({ id, json: jsonOf.get(id) }));
        expect(listedAs).toSatisfy((some: Sorted[]) => isSorted(some, descending));
      }

      for (const [at, step] of steps.entries()) {
        if (at === Math.floor(steps.length / 2)) await publish();
        if (step.what === 'insert' || step.what === 'late') await insert(step.days, step.what === 'late');
        if (step.what === 'ask') await ask();
        const ids = await storedIds();
        if (step.what === 'delete' && ids.length > 0)
          await store.deletions.removeOne(application, ids[step.place % ids.length] as string);
      }
      await ask();
    }),
    { ...times(3, 8), endOnFailure: true },
  );
  expect(described).toBeGreaterThan(20);
}, 600_000);

interface Sorted {
  id: string;
  json: string | undefined;
}

const ranks = ['number', 'string', 'boolean'];
/** Times of a field that has nothing else are in the order of time, and others in that of texts. */
const textOrders = [
  (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other)),
  (one: string, other: string) => instantOf(one) - instantOf(other),
];

/** Whether values are in order, equal ones by their ids, and what is no value at the end. */
function isSorted(entries: Sorted[], descending: boolean): boolean {
  const sign = descending ? -1 : 1;
  const rankOf = (json: string | undefined) => ranks.indexOf(json === undefined ? '' : typeOf(json));
  return textOrders.some((compareTexts) =>
    entries.slice(1).every((after, at) => {
      const before = entries[at] as Sorted;
      const [rank, next] = [rankOf(before.json), rankOf(after.json)];
      if (rank === -1 || next === -1) return next === -1 && (rank !== -1 || before.id > after.id);
      if (rank !== next) return sign * (rank - next) < 0;
      const [one, other] = [before.json, after.json].map((json) => JSON.parse(json as string));
      const compared = typeof one === 'string' ? compareTexts(one, other) : Number(one) - Number(other);
      return compared === 0 ? before.json !== after.json || before.id > after.id : sign * compared < 0;
    }),
  );
}

/** Rows of the ten values with most entries, of null and of the rest, as the entries have them. */
function expectRows(rows: Row[], entries: { createdAt: Date; payload: object }[], path: string[]): void {
  const values = entries.map(({ createdAt, payload }) => ({
    at: day(createdAt),
    json: memberIn(payload, path),
  }));
  const shown = values.flatMap(({ json }) => (json === undefined || /^[[{]/.test(json) ? [] : [json]));
  const counts = countsOf(shown);
  const named = new Set(
    rows.filter(({ value, rest }) => value !== null && !rest).map(({ value }) => toJson(value)),
  );
  const most = [...counts.values()].toSorted((a, b) => b - a).slice(0, 10);
  expect([...named].map((json) => counts.get(json)).toSorted((a, b) => Number(b) - Number(a))).toEqual(most);
  const keyOf = (json: string | undefined) => (json === undefined ? 'null' : named.has(json) ? json : 'rest');
  const expected = countsOf(values.map(({ at, json }) => `${at} ${keyOf(json)}`));
  const found = rows.map(({ at, value, rest, accepted }) => [
    `${at} ${rest ? 'rest' : toJson(value)}`,
    accepted,
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).toSorted());
}

const long = (n: number) => `${n} ${'x'.repeat(250)}`;
const hour = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toISOString();

/** Many have the same id, note, number and time, and all others have their own. */
const manyValued = (n: number) => ({
  id: n % 10 === 0 ? 'bot' : `id ${n}`,
  ...(n % 3 > 0 && { n: n % 20 === 4 ? -5 : n }),
  at: hour(n % 50 === 7 ? -1 : n),
  place: `p${n % 7}`,
  long: long(n),
  mixed: n % 2 === 0 ? n : `${n % 30 === 1 ? 1 : n}`,
});
const properties = { n: { type: 'integer' }, at: { type: 'string', format: 'date-time' } };

it('counts what many entries have where most have values of their own', async () => {
  const payloads = Array.from({ length: 12_000 }, (_, n) => JSON.stringify(manyValued(n)));
  const { asked, insert } = await start([{ schema: { type: 'object', properties }, payloads }], 200_000);
  for (let day = 40; day > 0; day -= 1) await insert(Array(300).fill(day), false);
  const reply = await answerFields(await asked());
  if ('refusal' in reply) throw new Error(reply.refusal.message);
  const fields = readAnswer<TestedField[]>(reply.answer);
  const payloadsOf = payloads.map((json) => JSON.parse(json));
  for (const field of fields.filter(({ path }) => path !== 'place')) {
    const values = payloadsOf.map((payload) => memberIn(payload, keysOf(field.path)));
    expect(faultsOf(field, values).filter((fault) => !fault.includes(': top: '))).toEqual([]);
  }
  const top = new Map(fields.map((field) => [field.path, field.top]));
  const bots = [{ value: 'bot', count: 1_200 }];
  expect(top.get('/id')).toEqual(bots);
  expect(top.get('n')?.[0]).toEqual({ value: -5, count: 400 });
  expect(top.get('at')).toEqual([{ value: hour(-1), count: 240 }]);
  expect(top.get('long')).toEqual([]);
  expect(top.get('mixed')).toEqual([{ value: '1', count: 400 }]);
  expect(top.get('place')).toHaveLength(7);
  const filtered = await answerFields(await asked([{ path: ['place'], operator: 'ne', value: 'p1' }]));
  const some = 'answer' in filtered ? readAnswer<TestedField[]>(filtered.answer) : [];
  const expected = payloadsOf.filter(({ place, id }) => place !== 'p1' && id === 'bot').length;
  expect(some.find(({ path }) => path === '/id')?.top).toEqual([{ value: 'bot', count: expected }]);
}, 120_000);

import { readFilter } from '@sluice/api/http/filter.ts';
import { createExpireEntries } from '@sluice/ingest-worker/deletion/expire-entries.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { largeNumbers } from '@sluice/store/applications/fields.ts';
import { type Condition, toText } from '@sluice/store/entries/entry-filter.ts';
import { createKeysAt } from '@sluice/store/entries/entry-id.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { archiveRuns, ownFolder } from '../../../test/support/archive-runs.ts';
import { eachField } from '../../../test/support/each-field.ts';
import { payloadOf } from '../../../test/support/payload-of.ts';
import { runs as times } from '../../../test/support/runs.ts';
import { createAnswerPage } from './answer-page.ts';
import { findPage } from './duck/find-page.ts';
import type { PageAsk } from './duck/page.ts';
import type { Processes } from './processes.ts';
import { createSegments } from './segments.ts';

const never = new AbortController().signal;
const log = createLogger('test', { level: 'silent', pretty: false });
const dayMs = 86_400_000;
const keysAt = createKeysAt();

/** JSON text of a number, which JavaScript may not hold. */
class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function toJson(value: unknown): string {
  if (value instanceof Digits) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}:${toJson(each)}`)
    .join(',')}}`;
}

const digits = [
  ...['0', '-0', '1', '2', '2.5', '-3', '0.1', '5e-324', '1e300', '2147483648', '-2147483649'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '9007199254740994'],
  ...['1234567890123456789', '1234567890123456800', '1.2345678901234567e18', '1234567890123456768'],
  ...[
    '9223372036854775807',
    '-9223372036854775808',
    '1e18',
    '1e19',
    '12345678901234567000',
    '1e20',
    '1e21',
    '1e22',
  ],
].map((text) => new Digits(text));
const texts = [
  ...[
    '',
    'a',
    'ab',
    'b',
    '$a',
    '$payload.a',
    '1',
    '1.5',
    'true',
    'null',
    '[]',
    '{}',
    '"a"',
    'NaN',
    'ä',
    'Ä',
    '\0',
  ],
  ...[
    '\ufffd',
    '\u{1f600}',
    'BAR',
    'Ä\n.*',
    '\\Qa\\E',
    '^(a|b)[^a]+$',
    'ЖЁт',
    'жёᲅ',
    'kK',
    'KſS',
    'İıi',
    'ß',
    "'",
    '%_',
  ],
];
const days = ['2026-01-01', '2025-12-31', '0001-01-01', '9999-12-31', '2024-02-29'];
const moments = [
  ...[
    '2026-01-01T00:00:00Z',
    '2026-01-01T05:30:00.123+05:30',
    '2026-01-01t00:00:00.5z',
    '2026-01-01T00:00:00.123456Z',
  ],
  ...[
    '2025-12-31T23:59:59.999-23:59',
    '2026-01-03T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
    '2026-01-02T23:00:00+23:30',
  ],
];
const digit = fc.constantFrom(...digits);
const text = fc.constantFrom(...texts);
const day = fc.constantFrom(...days);
const moment = fc.constantFrom(...moments);
const nil = fc.constant(null);
const scalar = fc.oneof(digit, text, fc.boolean(), nil, day, moment);

const keys = [
  'a',
  'b',
  'a.b',
  '$a',
  '',
  '0',
  'a/~',
  '*',
  '"',
  '\\',
  "'",
  'é',
  'id',
  'date',
  '_extra',
  'file_index',
];
const anyKey = fc.constantFrom(...keys);
type Payload = Record<string, unknown>;
const { payload } = fc.letrec<{ value: unknown; payload: Payload }>((tie) => ({
  value: fc.oneof(
    { withCrossShrink: true },
    { arbitrary: scalar, weight: 5 },
    { arbitrary: fc.array(tie('value'), { maxLength: 2 }), weight: 1 },
    { arbitrary: tie('payload'), weight: 2 },
  ),
  payload: fc.dictionary(anyKey, tie('value'), { maxKeys: 5, noNullPrototype: true }),
}));

/** A schema of some members, and values that conform to it. */
const kinds: Record<string, { schema: object; value: fc.Arbitrary<unknown> }> = {
  int: {
    schema: { type: 'integer' },
    value: digit.filter(({ text }) => /^-?\d{1,19}$/.test(text)),
  },
  num: { schema: { type: ['number', 'null'] }, value: fc.oneof(digit, nil) },
  str: { schema: { type: 'string' }, value: fc.oneof(text, day) },
  bool: { schema: { type: ['boolean', 'null'] }, value: fc.oneof(fc.boolean(), nil) },
  date: { schema: { type: 'string', format: 'date' }, value: day },
  time: { schema: { type: 'string', format: 'date-time' }, value: moment },
  any: { schema: {}, value: scalar },
};
const members = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6'];

/** A version of a schema, in which each member has another kind, and payloads that conform to it. */
const version = fc.shuffledSubarray(Object.keys(kinds), { minLength: 7, maxLength: 7 }).map((order) => {
  const kindOf = (at: number) => kinds[order[at] as string] as (typeof kinds)[string];
  const properties = Object.fromEntries(members.map((name, at) => [name, kindOf(at).schema]));
  const own = fc.record(Object.fromEntries(members.map((name, at) => [name, kindOf(at).value])), {
    requiredKeys: [],
    noNullPrototype: true,
  });
  const payloads = fc.array(
    fc.tuple(own, payload).map(([one, other]) => toJson({ ...other, ...one })),
    { minLength: 60, maxLength: 60 },
  );
  return { schema: { type: 'object', properties }, payloads };
});
const versions = fc
  .array(version, { minLength: 1, maxLength: 2 })
  .chain((some) =>
    fc.tuple(...some.map(({ schema, payloads }) => payloads.map((all) => ({ schema, payloads: all })))),
  );

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

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        what: fc.constant('insert' as const),
        days: fc.array(fc.constant(0), { minLength: 1, maxLength: 9 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        what: fc.constant('late' as const),
        days: fc.array(fc.nat(40), { minLength: 1, maxLength: 2 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('delete' as const), place: fc.nat(999) }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('move' as const) }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('ask' as const) }) },
  ),
  { minLength: 8, maxLength: 14 },
);

type Version = { schema: object; payloads: string[] };

/** An application, and who asks for pages of it, in this process. */
async function start([first, ...later]: Version[]) {
  const runs = await archiveRuns(undefined, first?.schema);
  const { application, domain, root, store, db, run, create } = runs;
  const startRun = async () =>
    void (await run(await store.askedArchives.ask(application), { fileBytes: 4_000 }));
  const processes = {
    ask: (_kind: string, asked: Omit<PageAsk, 'folder'>) => findPage({ ...asked, folder: ownFolder() }),
  } as unknown as Processes;
  const segments = createSegments({ store, startRun, folder: root });
  const answerPage = createAnswerPage({ segments, store, processes, runMs: 600_000 });
  const own = await create();
  const left = [first, ...later].map((each) => [...(each as Version).payloads]);
  let current = 0;
  let newest = 0;

  async function insert(days: number[], isLate: boolean): Promise<void> {
    // New entries are above all that runs may have.
    newest = Math.max(Date.now(), newest + 1);
    const times = days.map((ago) => newest - ago * dayMs);
    const texts = times.flatMap(() => left[current]?.shift() ?? []);
    for (const text of texts) {
      const pointers: string[] = [];
      eachField(parseJson(text) as Payload, (path) => pointers.push(toPointer(path)));
      await store.fields.add(application, [...pointers, largeNumbers]);
    }
    const announced = isLate ? await store.milestones.removeFrom(application, Math.min(...times)) : undefined;
    const entries = texts.map((text, n) => ({
      key: keysAt(Buffer.from(application, 'hex'), times[n] as number),
      ...payloadOf(text),
      version: current + 1,
      by: n % 3,
      ...(announced !== undefined && { announced }),
    }));
    if (entries.length > 0) await store.entries.insertKeyed(entries);
    while ((await store.horizon.confirm()) <= newest);
  }

  async function publish(): Promise<void> {
    const next = later[current];
    if (!next) return;
    const record = await store.applications.byId(application);
    const fields = { rawSchema: JSON.stringify(next.schema), createdBy: 'b', fields: [], note: undefined };
    await store.schemas.publish(record as never, fields as never);
    current += 1;
  }

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

import { createFieldSet } from '@sluice/intake/field-set.ts';
import type { Intake } from '@sluice/intake/intake.ts';
import { createRecordFields } from '@sluice/intake/intake.ts';
import { type LineFailure, type Refusal, refuse } from '@sluice/intake/line.ts';
import type { UploadValidator } from '@sluice/intake/upload-validator.ts';
import { DeadlineError } from '@sluice/shared/deadline.ts';
import { tooMany, unavailable } from '@sluice/shared/errors.ts';
import type { Outcome } from '@sluice/store/entries/entries.ts';
import { placesMs } from '@sluice/store/entries/horizon.ts';
import { MongoServerSelectionError, ObjectId } from 'mongodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStore, ownDatabase } from '../../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../../test/support/payload-of.ts';
import type { ApplicationCache } from '../../known/applications.ts';
import { createCapacities } from '../../limits/capacity.ts';
import { createGroupCommit, type GroupCommit } from '../group-commit.ts';
import { linesOf } from './lines.ts';
import { createStoreBatch } from './store-batch.ts';
import { createValidateLines } from './validate-lines.ts';

const count = 4;
const bodyOf = (lines: number) =>
  Buffer.from(Array.from({ length: lines }, (_, n) => `{"n":${n}}`).join('\n'));

/** Takes every line, but for one time when too many others wait. */
function busyAt(
  turn: number,
  busy = unavailable('too many large uploads'),
): Pick<UploadValidator, 'validate'> {
  let turns = 0;
  return {
    async validate(_application, json) {
      turns += 1;
      if (turns === turn) throw busy;
      return { kind: 'accepted', ...payloadOf(json.toString()), fields: [] };
    },
  };
}

interface Options {
  livesFor?: number;
  atomic?: boolean;
  commit?: Pick<GroupCommit, 'add'>;
  lines?: number;
  key?: string | undefined;
}

async function start(
  uploadValidator: Pick<UploadValidator, 'validate'>,
  { livesFor = Number.POSITIVE_INFINITY, atomic = true, ...more }: Options = {},
) {
  let looks = 0;
  const defects: unknown[] = [];
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const application = {
    id: new ObjectId().toHexString(),
    fields: createFieldSet(),
    recorded: { overflow: false, closed: false },
  } as Intake;
  const storeBatch = createStoreBatch({
    cache: {
      get: async () => (looks++ < livesFor ? application : undefined),
    } as unknown as ApplicationCache,
    commit: more.commit ?? createGroupCommit(store.entries.insert, createCapacities().uploads),
    recordFields: createRecordFields(store.fields),
    senders: store.senders,
    batches: store.batches,
    entries: store.entries,
    validateLines: createValidateLines(1_000, uploadValidator, {
      error: (logged: unknown) => defects.push(logged),
    }),
    checkUpload: undefined,
    refusalRecorder: { note: () => {}, noteLoss: () => {} },
  });
  const total = more.lines ?? count;
  const body = bodyOf(total);
  const key = 'key' in more ? more.key : 'k';
  const send = () => storeBatch('any', { lines: linesOf(body, total), body, atomic, key });
  return {
    send,
    defects,
    stored: () => store.entries.count(application.id, {}),
    horizon: store.horizon,
    keyed: () => db.collection('entries').countDocuments({ once: { $exists: true } }),
  };
}

it.each(Array.from({ length: 2 * count }, (_, i) => i + 1))(
  'an atomic batch whose validator is busy at turn %i is not stored at all, and its key is free',
  async (turn) => {
    const { send, stored } = await start(busyAt(turn));
    await expect(send()).rejects.toMatchObject({ name: 'ServiceUnavailableError' });
    expect(await stored()).toBe(0);
    expect(await send()).toEqual({ accepted: count, rejected: 0, errors: [] });
    expect(await stored()).toBe(count);
    expect(await send()).toMatchObject({ accepted: count });
    expect(await stored()).toBe(count);
  },
);

it.each([tooMany('too many large uploads of one owner', 2), unavailable('too many large uploads')])(
  'a line for which the validator is busy is refused for that reason, as is a batch of such lines (%s)',
  async (busy) => {
    const { name, message } = busy;
    const options = { atomic: false, key: undefined };
    const of = async (lines: number) => (await start(busyAt(1, busy), { ...options, lines })).send();
    expect(await of(2)).toEqual({ accepted: 1, rejected: 1, errors: [{ line: 1, name, message }] });
    const headers = { 'retry-after': expect.any(String) };
    await expect(of(1)).rejects.toMatchObject({ name, headers });
  },
);

it.each([true, false])(
  'a batch stores nothing once its application is deleted (atomic: %s)',
  async (atomic) => {
    const { send, stored } = await start(busyAt(0), { livesFor: 1, atomic });
    await expect(send()).rejects.toMatchObject({ name: 'ResourceNotFoundError' });
    expect(await stored()).toBe(0);
  },
);

it('lines for which a batch has no time left are refused, each with the reason, and the others stored', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const slow: Pick<UploadValidator, 'validate'> = {
    async validate(_application, json) {
      vi.advanceTimersByTime(30);
      return { kind: 'accepted', ...payloadOf(json.toString()), fields: [] };
    },
  };
  const validateLines = createValidateLines(1_000, slow, { error: () => {} }, 20);
  const errors: LineFailure[] = [];
  const lines: number[] = [];
  for await (const chunk of validateLines(
    { id: new ObjectId().toHexString() } as Intake,
    linesOf(bodyOf(count), count),
    errors,
  ))
    lines.push(...chunk.lines);
  expect(lines).toEqual([1]);
  expect(errors.map(({ line, kind, refusal }) => [line, kind, refusal.name])).toEqual(
    [2, 3, 4].map((line) => [line, 'busy', 'ServiceUnavailableError']),
  );
  expect(errors[0]?.refusal.message).toContain('this line was not stored');
});

it.each(['first', 'again'])(
  'the horizon passes a batch with a key whose details are not found yet (%s)',
  async (turn) => {
    let asked = Promise.withResolvers<void>();
    let found = Promise.withResolvers<Refusal>();
    const refusal: Refusal = { name: 'SchemaValidationError', message: 'no' };
    const explain = () => {
      asked.resolve();
      return found.promise;
    };
    const someRefused: Pick<UploadValidator, 'validate'> = {
      validate: (_application, json) =>
        json.includes('"n":1}')
          ? { ...refuse(refusal), explain }
          : { kind: 'accepted', ...payloadOf(json.toString()), fields: [] },
    };
    const { send, horizon } = await start(someRefused, { atomic: false });
    const details = [{ path: '/n', keyword: 'maximum', message: 'must be <= 0' }];
    if (turn === 'again') {
      found.resolve(refusal);
      await send();
      asked = Promise.withResolvers();
      found = Promise.withResolvers();
    }
    const sent = send();
    await asked.promise;
    const now = Date.now();
    await vi.waitFor(async () => expect(await horizon.latest()).toBeGreaterThan(now), 60_000);
    found.resolve({ ...refusal, details });
    expect(await sent).toEqual({ accepted: 3, rejected: 1, errors: [{ line: 2, ...refusal, details }] });
  },
);

it.each<[string, (json: Buffer) => ReturnType<UploadValidator['validate']>]>([
  [
    'at once',
    () => {
      throw new ReferenceError('items4 is not defined');
    },
  ],
  ['later', () => Promise.reject(new ReferenceError('items4 is not defined'))],
])(
  'a line on which the validator fails %s is refused alone, and the defect is logged',
  async (_when, fail) => {
    const uploadValidator: Pick<UploadValidator, 'validate'> = {
      validate: (_application, json) =>
        json.includes('"n":2}')
          ? fail(json)
          : { kind: 'accepted', ...payloadOf(json.toString()), fields: [] },
    };
    const { send, stored, defects } = await start(uploadValidator, { atomic: false });
    expect(await send()).toEqual({
      accepted: 3,
      rejected: 1,
      errors: [{ line: 3, name: 'InternalServerError', message: expect.stringContaining('was not stored') }],
    });
    expect(await stored()).toBe(3);
    expect(defects).toMatchObject([{ event: 'line.defect', err: { name: 'ReferenceError' } }]);
  },
);

const tooSlow = () => unavailable('the database was too slow; nothing was stored');
const away = () => new MongoServerSelectionError('nobody there', { servers: new Map() } as never);
const late = () => new DeadlineError('no answer');

it.each([tooMany('too many large uploads of one owner', 2), unavailable('too many large uploads')])(
  'a batch with a key is sent again if the validator was busy for a line, and the retry stores that line (%s)',
  async (busy) => {
    const { send, stored } = await start(busyAt(2, busy), { atomic: false });
    await expect(send()).rejects.toMatchObject(inPart);
    expect(await stored()).toBe(count - 1);
    expect(await send()).toEqual({ accepted: count, rejected: 0, errors: [] });
    expect(await stored()).toBe(count);
  },
);

it('a batch with a key is sent again while it has no time for all its lines, until a try stores none', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const slow: Pick<UploadValidator, 'validate'> = {
    async validate(_application, json) {
      vi.advanceTimersByTime(json.includes('"n":1}') ? 200_000 : 1);
      if (json.includes('"n":1}')) return refuse(refusal);
      return { kind: 'accepted', ...payloadOf(json.toString()), fields: [] };
    },
  };
  const refusal: Refusal = { name: 'SchemaValidationError', message: 'no' };
  const { send, stored } = await start(slow, { atomic: false });
  await expect(send()).rejects.toMatchObject(inPart);
  expect(await stored()).toBe(1);
  const { accepted, errors } = await send();
  expect([accepted, ...errors.map(({ line, name }) => `${line} ${name}`)]).toEqual([
    ...[1, '2 SchemaValidationError', '3 ServiceUnavailableError', '4 ServiceUnavailableError'],
  ]);
});

/** Of three chunks the first two are on their way at once. The first ends last. */
function endingAs(first: Outcome | (() => Error), second: Outcome | (() => Error)): Pick<GroupCommit, 'add'> {
  const secondEnded = Promise.withResolvers<void>();
  let chunks = 0;
  const end = (how: Outcome | (() => Error), count: number) => {
    if (typeof how === 'function') throw how();
    return Array<Outcome>(count).fill(how);
  };
  return {
    async add({ length }) {
      chunks += 1;
      if (chunks === 1) {
        await secondEnded.promise;
        return end(first, length);
      }
      secondEnded.resolve();
      return end(second, length);
    },
  };
}

const open = {
  name: 'ServiceUnavailableError',
  message: 'the outcome could not be confirmed by the database',
};
const inPart = { name: 'ServiceUnavailableError', message: expect.stringContaining('stored in part') };

describe.each([
  ['too slow', tooSlow],
  ['away', away],
])('where MongoDB is %s for a part of a batch,', (_what, fault) => {
  it.each([
    ['whose rest may be stored', late, undefined],
    ['whose rest was not confirmed', 'unconfirmed', undefined],
    ['with a key, whose rest may be stored', late, 'k'],
    ['with a key, whose rest was not confirmed', 'unconfirmed', 'k'],
  ] as const)('nobody is told that nothing of it was stored (%s)', async (_rest, rest, key) => {
    for (const [first, second] of [
      [rest, fault],
      [fault, rest],
    ] as const) {
      const { send } = await start(busyAt(0), {
        atomic: false,
        lines: 1_000,
        key,
        commit: endingAs(first, second),
      });
      await expect(send()).rejects.toMatchObject(open);
    }
  });

  it('with a key, whose rest is stored, a retry is asked for', async () => {
    const { send } = await start(busyAt(0), {
      atomic: false,
      lines: 1_000,
      commit: endingAs('stored', fault),
    });
    await expect(send()).rejects.toMatchObject(inPart);
  });

  it('and nothing of it was sent, that is said', async () => {
    const { send } = await start(busyAt(0), {
      atomic: false,
      lines: 1_000,
      key: undefined,
      commit: endingAs(fault, fault),
    });
    await expect(send()).rejects.toThrow(fault().message);
  });
});

it('lines that come too late for their places are stored under keys of their own, once', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const slow: Pick<UploadValidator, 'validate'> = {
    async validate(_application, json) {
      vi.advanceTimersByTime(placesMs / 3_750);
      return { kind: 'accepted', ...payloadOf(json.toString()), fields: [] };
    },
  };
  const lines = 5_000;
  const { send, stored, keyed } = await start(slow, { atomic: false, lines });
  expect(await send()).toMatchObject({ accepted: lines });
  expect(await keyed()).toBeGreaterThan(0);
  expect(await send()).toMatchObject({ accepted: lines });
  expect(await stored()).toBe(lines);
});

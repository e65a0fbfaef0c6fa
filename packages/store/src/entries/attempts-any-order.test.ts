import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { type Db, MongoClient, ObjectId } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asCluster, withCommands } from '../../../../test/support/as-cluster.ts';
import { ownDatabase } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { runs } from '../../../../test/support/runs.ts';
import { until } from '../../../../test/support/sluice.ts';
import { type BatchRecord, BatchTaken, batchStore, type LinesTurn } from './batches.ts';
import { entryStore, type NewEntry } from './entries.ts';
import type { EntryDocument } from './entry-document.ts';
import { range } from './entry-range.ts';
import { type Hold, type HorizonStore, horizonStore } from './horizon.ts';
import { createWriter } from './writer.ts';

/** A process whose inserts take some time. MongoDB carries out the inserts that were sent before the process died. */
function createProcess(db: Db, { isOnCluster, delays }: { isOnCluster: boolean; delays: number[] }) {
  const underWay = new Set<Promise<unknown>>();
  const writers: ObjectId[] = [];
  const holds: Hold[] = [];
  const known = horizonStore(db);
  let isDead = false;
  let sent = 0;

  /** What a process has not sent when it dies is never sent. */
  function send<T>(work: () => Promise<T>): Promise<T> {
    if (isDead) return new Promise<never>(() => {});
    const sending = work();
    underWay.add(sending.catch(() => {}));
    return sending;
  }
  async function late(command: object, options?: object) {
    await pause(delays[sent++ % delays.length]);
    return db.command(command, options);
  }
  const routed = isOnCluster ? asCluster(db) : db;
  const own = withCommands(routed, (given, options) =>
    send(() => (given.insert ? late(given, options) : routed.command(given, options))),
  );
  const horizon: HorizonStore = {
    ...known,
    newWriter() {
      const writer = known.newWriter();
      writers.push(writer);
      return writer;
    },
    publish: (given) => send(() => known.publish(given)),
    hold: (time) =>
      send(async () => {
        const hold = await known.hold(time);
        if (hold) holds.push(hold);
        return hold;
      }),
  };
  const writer = createWriter(horizon);
  const entries = entryStore(own, 10_000, { horizon, writer });
  const batches = batchStore(own, { entries, writer, horizon, timeoutMs: 10_000 });
  return {
    entries,
    batches,
    /** Resolves when MongoDB can store no entry of this process any more, and the horizon knows it. */
    async die() {
      isDead = true;
      await Promise.all(underWay);
      for (const hold of holds) await hold.release();
      for (const each of writers) await known.leave({ writer: each, next: Date.now() + 1 });
    },
    close: writer.close,
  };
}
type Process = ReturnType<typeof createProcess>;

async function start() {
  const { url } = await ownDatabase();
  const client = new MongoClient(url, {
    ignoreUndefined: true,
    readConcern: { level: 'majority' },
    writeConcern: { w: 'majority', journal: true },
  });
  onTestFinished(() => client.close());
  return client.db();
}

/** Reads on as new entries come; ids in the order in which it got them. */
function follow({ entries }: Process, application: string) {
  const ids: string[] = [];
  let after: string | undefined;
  let isOver = false;
  async function poll(): Promise<void> {
    const page = await entries.forward(application, { start: 0, limit: 100, after });
    ids.push(...page.entries.map(({ id }) => id));
    after = page.end;
  }
  const following = (async () => {
    while (!isOver) await poll();
  })();
  return {
    ids,
    async stop(count: number) {
      isOver = true;
      await following;
      await until(async () => {
        await poll();
        return ids.length >= count;
      });
    },
  };
}

const mostLines = 12;
const beside = 4;
const attempts = fc.array(
  fc.record({
    startMs: fc.nat({ max: 60 }),
    delays: fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 4 }),
    /** When its process dies. */
    diesMs: fc.option(fc.nat({ max: 90 }), { nil: undefined }),
    chunk: fc.integer({ min: 1, max: 5 }),
    /** What a schema refuses. */
    refused: fc.subarray(
      Array.from({ length: mostLines }, (_, at) => at + 1),
      { maxLength: 4 },
    ),
  }),
  { minLength: 2, maxLength: 5 },
);
type Attempt = typeof attempts extends fc.Arbitrary<(infer A)[]> ? A : never;

describe.each([
  ['a replica set', false],
  ['a cluster', true],
])('on %s', (_where, isOnCluster) => {
  const lines = Array.from({ length: mostLines }, (_, at) => at + 1);

  it.each([
    'lines of one batch',
    'uploads with one key each',
    'uploads with one value each, and some with a key',
  ])('%s are stored once, whatever attempts overlap, end late or die', async (what) => {
    async function run(db: Db, all: Attempt[]): Promise<void> {
      const application = new ObjectId().toHexString();
      const record = { idempotencyHash: randomBytes(16), hash: randomBytes(32), application };
      const keys = new Map(lines.map((line) => [line, randomBytes(16)]));
      const values = new Map(lines.map((line) => [line, randomBytes(16)]));
      const acknowledged = new Set<number>();

      const entryOf = (line: number, rest: Partial<NewEntry>): NewEntry => ({
        application,
        ...payloadOf({ n: line }),
        ...rest,
      });
      async function store({ entries }: Process, entriesOf: Map<number, NewEntry>): Promise<void> {
        const outcomes = await entries.insert([...entriesOf.values()]);
        for (const [at, line] of [...entriesOf.keys()].entries()) {
          expect(outcomes[at]).toMatch(/stored|repeated/);
          acknowledged.add(line);
        }
      }
      async function sendLines(process: Process, { chunk, refused }: Attempt, turn: LinesTurn) {
        for (const line of turn.stored) acknowledged.add(line);
        const left = lines.filter((line) => !turn.stored.has(line) && !refused.includes(line));
        for (let at = 0; at < left.length; at += chunk) {
          await turn.begin();
          const of = (line: number) => ({
            place: turn.placeOf?.(line),
            once: turn.isRetry ? [keys.get(line) as Buffer] : undefined,
          });
          const some = left.slice(at, at + chunk);
          await store(process, new Map(some.map((line) => [line, entryOf(line, of(line))])));
        }
      }
      async function sendBatch(process: Process, attempt: Attempt, of: BatchRecord): Promise<void> {
        const found = await process.batches.lookUp(of);
        const storeAll = (turn: LinesTurn) => sendLines(process, attempt, turn);
        if (found.known !== 'first') return process.batches.again(found, mostLines, storeAll);
        await process.batches.first(of, mostLines, storeAll).catch((error) => {
          if (!(error instanceof BatchTaken)) throw error;
          return sendBatch(process, attempt, of);
        });
      }
      async function sendUploads(process: Process, { chunk, refused }: Attempt): Promise<void> {
        const left = lines.filter((line) => !refused.includes(line));
        const onceOf = (line: number, key: Buffer): Partial<NewEntry> => {
          if (what === 'uploads with one key each') return { once: [key] };
          const value = values.get(line) as Buffer;
          return { once: chunk % 2 ? [value, key] : [value], valueSince: 0 };
        };
        for (let at = 0; at < left.length; at += chunk) {
          const some = left.slice(at, at + chunk).map((line) => [line, keys.get(line) as Buffer] as const);
          await store(process, new Map(some.map(([line, key]) => [line, entryOf(line, onceOf(line, key))])));
        }
      }
      const send = (process: Process, attempt: Attempt) =>
        what === 'lines of one batch' ? sendBatch(process, attempt, record) : sendUploads(process, attempt);

      async function begin(attempt: Attempt): Promise<void> {
        const process = createProcess(db, { isOnCluster, delays: attempt.delays });
        await process.entries.prepare();
        await pause(attempt.startMs);
        const sending = send(process, attempt);
        if (attempt.diesMs === undefined) return sending.finally(process.close);
        await Promise.race([sending, pause(attempt.diesMs)]);
        await process.die();
      }

      const last = createProcess(db, { isOnCluster, delays: [0] });
      const follower = follow(last, application);
      await Promise.all(all.map(begin));
      await send(last, { startMs: 0, delays: [0], diesMs: undefined, chunk: 5, refused: [] });
      const stored = await db
        .collection<EntryDocument>('entries')
        .find(range(application, {}))
        .sort({ _id: 1 })
        .toArray();
      expect(stored.map(({ payload }) => payload.n).sort((a, b) => Number(a) - Number(b))).toEqual(lines);
      expect([...acknowledged].sort((a, b) => a - b)).toEqual(lines);
      await follower.stop(lines.length);
      expect(follower.ids).toEqual(stored.map(({ _id }) => _id.toString('hex').slice(24)));
      await last.close();
    }

    // Attempts mostly wait, so some histories run beside one another, each in a database of its own.
    const databases = await Promise.all(Array.from({ length: beside }, start));
    await fc.assert(
      fc.asyncProperty(fc.array(attempts, { minLength: beside, maxLength: beside }), async (histories) => {
        const ended = await Promise.allSettled(databases.map((db, at) => run(db, histories[at] ?? [])));
        for (const each of ended) if (each.status === 'rejected') throw each.reason;
      }),
      runs(1, 8),
    );
  });
});

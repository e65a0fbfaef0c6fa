import type { Document } from 'mongodb';
import { type Code, failure } from './failures.ts';
import type { Command, Sequence } from './wire.ts';

export interface FaultOptions {
  /** The same seed gives the same faults to the same commands. */
  seed: number;
  /** Of so many commands one fails, in the mean. */
  oneIn: number;
}

/**
 * `refused`: it is answered and not done. `unanswered`: it is done, and the answer is a failure. `cut`: the connection ends before or
 * after it is done. `partly`: some documents of an insert are done, and of the others nobody knows. `unconfirmed`: no majority confirms.
 */
export type Fate =
  | { kind: 'refused' | 'unanswered'; answer: Document }
  | { kind: 'cut'; isDone: boolean }
  | { kind: 'partly' }
  | { kind: 'unconfirmed' };

const struck = new Set([
  ...['insert', 'update', 'delete', 'findAndModify', 'find', 'aggregate', 'getMore', 'count', 'distinct'],
  ...['commitTransaction', 'createIndexes'],
]);
const writes = new Set(['insert', 'update', 'delete', 'findAndModify', 'commitTransaction']);
/** Shards that changed their primary are `HostUnreachable` to clients, so it is the most frequent. */
const codes: Code[] = [...Array<Code>(12).fill(6), 7, 91, 133, 189];
const labelled = new Set<Code>([6, 7, 91, 189]);

/** https://en.wikipedia.org/wiki/Linear_congruential_generator */
export function createRandom(seed: number): () => number {
  let state = BigInt(seed);
  return () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n;
    return Number(state >> 32n) / 2 ** 32;
  };
}

const isInTransaction = ({ body }: Command) => body.autocommit === false;

function labelsFor(command: Command, code: Code): string[] {
  if (!labelled.has(code)) return [];
  if (command.name === 'commitTransaction') return ['RetryableWriteError'];
  if (isInTransaction(command)) return ['TransientTransactionError'];
  return 'txnNumber' in command.body ? ['RetryableWriteError'] : [];
}

export function createFaults({ seed, oneIn }: FaultOptions) {
  const random = createRandom(seed);
  const pick = <T>(among: T[]): T => among[Math.floor(random() * among.length)] as T;
  const counts: Record<string, number> = {};

  function fail(command: Command): Document {
    const code = pick(codes);
    // Older versions of `mongos` forget the labels now and then.
    const labels = random() < 0.8 ? labelsFor(command, code) : [];
    return failure(code, 'a fault of the stand-in', labels);
  }

  function fateOf(command: Command): Fate {
    const isInsert = command.sequence?.name === 'documents' && !isInTransaction(command);
    const kinds: Fate['kind'][] = ['refused', 'unanswered', 'cut'];
    if (isInsert) kinds.push('partly', 'partly', 'partly');
    if (writes.has(command.name) && (!isInTransaction(command) || command.name === 'commitTransaction'))
      kinds.push('unconfirmed');
    const kind = pick(kinds);
    if (kind === 'refused' || kind === 'unanswered') return { kind, answer: fail(command) };
    return kind === 'cut' ? { kind, isDone: random() < 0.5 } : { kind };
  }

  return {
    counts,
    random,

    /** Undefined: nothing happens to the command. */
    strike(command: Command): Fate | undefined {
      if (!struck.has(command.name) || random() * oneIn >= 1) return undefined;
      const fate = fateOf(command);
      counts[fate.kind] = (counts[fate.kind] ?? 0) + 1;
      return fate;
    },
  };
}

export type Faults = ReturnType<typeof createFaults>;

/** Divides the documents of an insert: those that are told to be done, and those that are done though nobody is told. */
export function divide({ name, documents }: Sequence, random: () => number) {
  const told = documents.map(() => random() < 0.5);
  const done = told.map((isTold) => isTold || random() < 0.5);
  const places = documents.flatMap((_, i) => (done[i] ? [i] : []));
  const sequence = { name, documents: places.map((i) => documents[i] as Buffer) };

  /** The answer for all of them, from that for what was done. */
  function answerFor(answer: Document): Document {
    if (!answer.ok) return answer;
    const refused = ((answer.writeErrors ?? []) as { index: number }[]).map((error) => ({
      ...error,
      index: places[error.index] as number,
    }));
    const lost = documents.flatMap((_, index) =>
      told[index] ? [] : [{ index, code: 6, errmsg: 'a fault of the stand-in: the shard did not answer' }],
    );
    const errors = [...refused.filter(({ index }) => told[index]), ...lost].sort((a, b) => a.index - b.index);
    return {
      ...answer,
      n: documents.length - errors.length,
      ...(errors.length > 0 && { writeErrors: errors }),
    };
  }

  return { sequence, answerFor };
}

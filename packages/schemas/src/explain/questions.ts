import type { Logger } from '@sluice/shared/logger.ts';
import { createThread } from '@sluice/threads/thread.ts';
import { LRUCache } from 'lru-cache';
import { limits } from '../limits.ts';
import type { Explanation } from './create-explain.ts';
import type { ExplainAnswer, Explained, ExplainRequest } from './explain-thread.ts';

export interface Questions {
  /** What Ajv finds. Clients take turns. Undefined if that takes too long. Never rejects. */
  ask(client: string, schema: Explained, body: Uint8Array): Promise<Found | undefined>;
  close(): Promise<void>;
}

export type Found = Explanation & { tookMs: number };

interface Question {
  schema: Explained;
  body: Uint8Array;
  isSettled: boolean;
  settle(found: Found | undefined): void;
}

export interface QuestionOptions {
  log: Pick<Logger, 'warn'>;
  /** After this time in ms a question has no answer. */
  waitMs: number;
  /** Processor time of a message. */
  deadlineMs?: number;
}

/** Asks a thread about payloads. What a client asks while a message is under way goes with the next one. */
export function createQuestions({
  log,
  waitMs,
  deadlineMs = limits.explainDeadlineMs,
}: QuestionOptions): Questions {
  const thread = createThread<ExplainRequest, ExplainAnswer[] | 'lost'>({
    name: 'the explainer',
    file: new URL('./explain-thread.ts', import.meta.url),
    heapMb: limits.explainHeapMb,
    deadlineMs,
    // On a busy machine a thread of low priority may stand still for long, which is no fault of the question.
    longestMs: waitMs,
    waitingMs: waitMs,
    tooLong: 'lost',
    tooLarge: 'lost',
  });
  // The first refusal does not wait for Ajv to load.
  void thread.ask('', toRequest([], [])).catch(() => undefined);
  /** What each client asks. One that has a message under way is here too. */
  const asking = new Map<string, Question[]>();
  /** What each client took of late, in ms. */
  const spent = new LRUCache<string, { ms: number }>({ max: 1_000, ttl: limits.explainRestMs });
  let turn: Promise<unknown> = Promise.resolve();
  /** The hashes of schemas that ended the thread when it compiled them. */
  const slow = new LRUCache<string, true>({ max: 1_000, ttl: limits.explainSlowMs });

  async function work(client: string, waiting: Question[]): Promise<void> {
    while (waiting.length > 0) {
      const own = takeMessage(waiting);
      try {
        await askAll(client, own);
      } catch {
        // The thread is busy, or closed, or cannot start.
        giveUp(own);
      }
    }
    asking.delete(client);
  }

  /** Asks until each question is settled. */
  async function askAll(client: string, questions: Question[]): Promise<void> {
    let schemas: Explained[] | undefined = [];
    while (schemas) {
      const told: Explained[] = schemas;
      const once = () => askOnce(client, questions, told);
      schemas = await (spentBy(client) < limits.explainMessageMs ? once() : inTurn(once));
    }
  }

  /** All clients that took much of late share one turn, so that the others do not wait for each of them. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }

  const spentBy = (client: string) => spent.get(client)?.ms ?? 0;

  /** Resolves with the schemas for the next message, or undefined once each question is settled. */
  async function askOnce(
    client: string,
    questions: Question[],
    schemas: Explained[],
  ): Promise<Explained[] | undefined> {
    const left = questions.filter(({ isSettled }) => !isSettled);
    if (left.length === 0) return undefined;
    if (spentBy(client) >= limits.explainShareMs) return giveUp(left);
    const request = toRequest(left, schemas);
    const answers = await thread.ask(client, request, { transfer: [request.bodies.buffer] });
    if (answers === 'lost') {
      const [at = 0, isCompiling] = request.progress;
      const late = left[at] as Question;
      const { hash } = late.schema;
      charge(client, deadlineMs);
      log.warn({ event: 'explainer.late', schema: hash });
      if (isCompiling && !slow.has(hash)) slow.set(hash, true);
      else late.settle(undefined);
      return [];
    }
    for (const [i, question] of left.entries()) {
      const answer = answers[i] as ExplainAnswer;
      if (typeof answer === 'string') continue;
      charge(client, answer.tookMs - limits.explainFreeMs);
      question.settle(answer);
    }
    return unknownOf(left, answers);
  }

  function charge(client: string, ms: number): void {
    if (ms <= 0) return;
    const own = spent.get(client);
    if (own) own.ms += ms;
    else spent.set(client, { ms });
  }

  /** The schemas that the thread did not know. */
  function unknownOf(questions: Question[], answers: ExplainAnswer[]): Explained[] {
    const asked = questions.flatMap(({ schema }, i) => (answers[i] === 'unknown' ? [schema] : []));
    const known = asked.map(({ hash, linked, draft }) => ({ hash, linked, draft, isSlow: slow.has(hash) }));
    return [...new Map(known.map((schema) => [schema.hash, schema])).values()];
  }

  /** The next questions, as many as fit in a message. */
  function takeMessage(waiting: Question[]): Question[] {
    let bytes = 0;
    let count = 0;
    while (count < waiting.length && count < limits.explainedAtOnce && bytes < limits.explainMessageBytes) {
      bytes += waiting[count]?.body.length ?? 0;
      count += 1;
    }
    return waiting.splice(0, count);
  }

  return {
    ask(client, schema, body) {
      return new Promise((resolve) => {
        const question: Question = {
          schema,
          body,
          isSettled: false,
          settle(found) {
            clearTimeout(timer);
            question.isSettled = true;
            resolve(found);
          },
        };
        const timer = setTimeout(question.settle, waitMs, undefined);
        const waiting = asking.get(client);
        if (waiting) return void waiting.push(question);
        const own = [question];
        asking.set(client, own);
        setImmediate(() => work(client, own));
      });
    },
    close: thread.close,
  };
}

function giveUp(questions: Question[]): undefined {
  for (const { settle } of questions) settle(undefined);
}

function toRequest(questions: Question[], schemas: Explained[]): ExplainRequest {
  const bodies = new Uint8Array(questions.reduce((sum, { body }) => sum + body.length, 0));
  let at = 0;
  for (const { body } of questions) {
    bodies.set(body, at);
    at += body.length;
  }
  return {
    questions: questions.map(({ schema: { hash }, body: { length } }) => ({ hash, length })),
    bodies,
    schemas,
    progress: new Int32Array(new SharedArrayBuffer(8)),
  };
}

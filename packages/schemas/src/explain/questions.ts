import type { Logger } from '@sluice/shared/logger.ts';
import { createThread } from '@sluice/threads/thread.ts';
import { LRUCache } from 'lru-cache';
import { limits } from '../limits.ts';
import type { Explanation } from './create-explain.ts';
import type { Answer, Explained, ExplainRequest } from './explain-thread.ts';

export interface Questions {
  /** What Ajv finds. Clients take turns. Undefined if that takes too long. Never rejects. */
  ask(client: string, schema: Explained, body: Uint8Array): Promise<Found | undefined>;
  close(): Promise<void>;
}

export type Found = Explanation & { tookMs: number };

interface Question {
  schema: Explained;
  body: Uint8Array;
  since: number;
  resolve(found: Found | undefined): void;
}

export interface QuestionOptions {
  log: Pick<Logger, 'warn'>;
  /** A question that waits longer in ms has no answer. */
  waitMs?: number;
  /** Processor time of a message. */
  deadlineMs?: number;
}

/** Asks a thread about payloads. What a client asks while a message is under way goes with the next one. */
export function createQuestions({
  log,
  waitMs = 10_000,
  deadlineMs = limits.explainDeadlineMs,
}: QuestionOptions): Questions {
  const thread = createThread<ExplainRequest, Answer[] | 'lost'>({
    name: 'the explainer',
    file: new URL('./explain-thread.ts', import.meta.url),
    heapMb: limits.explainHeapMb,
    deadlineMs,
    waitingMs: waitMs,
    tooLong: 'lost',
    tooLarge: 'lost',
  });
  // The first refusal does not wait for Ajv to load.
  void thread.ask('', toRequest([], [])).catch(() => undefined);
  /** What each client asks. One that has a message under way is here too. */
  const asking = new Map<string, Question[]>();
  /** How many questions of a client ended the thread, of late. */
  const lost = new LRUCache<string, number>({ max: 1_000, ttl: limits.explainRestMs });

  async function work(client: string, waiting: Question[]): Promise<void> {
    while (waiting.length > 0) {
      const own = takeMessage(waiting);
      try {
        await askAll(client, own);
      } catch {
        // The thread is busy, or closed, or cannot start.
        for (const { resolve } of own) resolve(undefined);
      }
    }
    asking.delete(client);
  }

  /** Asks until each question has its answer, or has been too costly. */
  async function askAll(client: string, questions: Question[]): Promise<void> {
    let left = questions;
    let schemas: Explained[] = [];
    while (left.length > 0) {
      if (isTired(client)) return giveUp(left);
      const request = toRequest(left, schemas);
      const answers = await thread.ask(client, request, { transfer: [request.bodies.buffer] });
      if (answers === 'lost') {
        const [costly] = left.splice(request.progress[0] ?? 0, 1);
        lost.set(client, 1 + (lost.get(client) ?? 0));
        log.warn({ event: 'explainer.late', schema: costly?.schema.hash });
        costly?.resolve(undefined);
        continue;
      }
      schemas = unknownOf(left, answers);
      left = left.filter(({ resolve }, i) => !settle(resolve, answers[i] as Answer));
    }
  }

  const isTired = (client: string) => (lost.get(client) ?? 0) >= limits.explainMostLost;

  /** The next questions, as many as fit in a message. Those that waited too long have no answer. */
  function takeMessage(waiting: Question[]): Question[] {
    const oldest = performance.now() - waitMs;
    let bytes = 0;
    let count = 0;
    while (count < waiting.length && count < limits.explainedAtOnce && bytes < limits.explainMessageBytes) {
      bytes += waiting[count]?.body.length ?? 0;
      count += 1;
    }
    return waiting
      .splice(0, count)
      .filter(({ since, resolve }) => since >= oldest || void resolve(undefined));
  }

  return {
    ask(client, schema, body) {
      return new Promise((resolve) => {
        const question = { schema, body, since: performance.now(), resolve };
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

/** The schemas that the thread did not know. */
function unknownOf(questions: Question[], answers: Answer[]): Explained[] {
  const asked = questions.flatMap(({ schema }, i) => (answers[i] === 'unknown' ? [schema] : []));
  return [...new Map(asked.map(({ hash, linked, draft }) => [hash, { hash, linked, draft }])).values()];
}

/** Whether the question needs no other message. */
function settle(resolve: Question['resolve'], answer: Answer): boolean {
  if (answer === 'later' || answer === 'unknown') return false;
  resolve(answer);
  return true;
}

function giveUp(questions: Question[]): void {
  for (const { resolve } of questions) resolve(undefined);
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
    progress: new Int32Array(new SharedArrayBuffer(4)),
  };
}

import { timingSafeEqual } from 'node:crypto';
import type { Store } from '@sluice/jobs/connect.ts';
import { queryToken } from '@sluice/shared/query-token.ts';
import { fromText } from '@sluice/store/entries/entry-filter.ts';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { type AskedPage, createAnswerPage } from './answer-page.ts';
import { limits, type Reply } from './duck/ask.ts';
import type { CountsAsk } from './duck/fields/fields.ts';
import type { EntriesAsk } from './duck/fields/over-entries.ts';
import type { PageAnswer } from './duck/page.ts';
import type { AnswerBody, Question } from './duck/question.ts';
import type { SortedAsk } from './duck/sort-page.ts';
import { toFileConditions } from './file-conditions.ts';
import type { Processes } from './processes.ts';
import type { createQueue, Outside } from './queue.ts';
import type { RecordQuestions } from './record-questions.ts';
import { type FindSegments, NotReady } from './segments.ts';

interface Options {
  processes: Processes;
  segments: FindSegments;
  store: Pick<Store, 'entries' | 'foldedLetters'>;
  queue: ReturnType<typeof createQueue>;
  recordQuestion: RecordQuestions;
  secrets: string[];
}

/** What an API asks. */
export interface Asked {
  application: string;
  domain: string;
  owner: string;
}

type AskedQuestion = Asked & Pick<Question, 'sql' | 'params' | 'format'>;

/** `filter`: the JSON of conditions. */
type AskedFields = Asked & Pick<EntriesAsk, 'from' | 'to'> & { filter: string };
type AskedCounts = AskedFields & Pick<CountsAsk, 'steps' | 'path'>;
type AskedSorted = AskedFields & Pick<SortedAsk, 'path' | 'descending' | 'start' | 'limit'>;

interface Timed {
  asOf: string | undefined;
}

/** Answers what APIs ask. Only they know the token. */
export function createServer({
  processes,
  segments,
  store,
  queue,
  recordQuestion,
  secrets,
}: Options): FastifyInstance {
  const app = fastify({ bodyLimit: 1024 ** 2, requestTimeout: 10_000 });
  const tokens = secrets.map((secret) => Buffer.from(`Bearer ${queryToken(secret)}`));

  app.addHook('onRequest', async (request, reply) => {
    const given = Buffer.from(request.headers.authorization ?? '');
    const isKnown = tokens.some((token) => token.length === given.length && timingSafeEqual(token, given));
    if (!isKnown) return reply.code(401).send({ message: 'only the API may ask' });
  });

  // Else an answered connection would stay open, and closing would wait for it.
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });

  /** A route that answers by a process. `work` runs when it is the owner's turn. */
  function answer<Body extends Asked, Answer>(
    path: string,
    work: (body: Body, signal: AbortSignal, outside: Outside) => Promise<Reply<Answer>>,
    send: (reply: FastifyReply, answer: Answer) => { rows?: number; body: Buffer | object },
  ): void {
    app.post(path, async (request, reply) => {
      const body = request.body as Body;
      const { application, owner } = body;
      const ended = recordQuestion({ application, owner });
      const later = (status: number, seconds: number, message: string) =>
        reply.code(status).header('retry-after', seconds).send({ message });
      const gone = new AbortController();
      // Not of the socket, which serves many questions.
      reply.raw.once('close', () => gone.abort());
      const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(limits.ms)]);
      try {
        const found = await queue.run(owner, signal, (outside) => work(body, signal, outside));
        if (!found) {
          ended('busy');
          return later(429, 1, 'too many questions wait');
        }
        if ('refusal' in found) {
          ended(gone.signal.aborted ? 'cancelled' : (found.refusal.excess ?? 'refused'));
          return reply.code(400).send(found.refusal);
        }
        const { rows, body: sent } = send(reply, found.answer);
        ended('answered', rows === undefined ? {} : { rows });
        return reply.send(sent);
      } catch (error) {
        if (gone.signal.aborted) ended('cancelled');
        else ended('failed', { err: error });
        if (error instanceof NotReady) return later(503, error.after, error.message);
        if (signal.aborted) return later(503, 5, 'the question waited too long: ask again');
        throw error;
      }
    });
  }

  async function entriesOf(
    { application, domain, filter, from, to }: AskedFields,
    ...waiting: [AbortSignal, Outside]
  ) {
    const files = await segments.segmentsOf(application, domain, ...waiting);
    return { ...files, conditions: await toFileConditions(store, fromText(filter)), from, to };
  }

  /** Answers in JSON over selected entries. */
  const overEntries =
    <Body extends AskedFields>(
      ask: (
        entries: Omit<EntriesAsk, 'folder' | 'asOf'>,
        body: Body,
        signal: AbortSignal,
      ) => Promise<Reply<string>>,
    ) =>
    async (body: Body, signal: AbortSignal, outside: Outside): Promise<Reply<Timed & { json: string }>> => {
      const { asOf, ...entries } = await entriesOf(body, signal, outside);
      const found = await ask(entries, body, signal);
      return 'refusal' in found ? found : { answer: { json: found.answer, asOf } };
    };

  const sendJson = (reply: FastifyReply, { json, asOf }: Timed & { json: string }) => {
    if (asOf) reply.header('sluice-as-of', asOf);
    return { body: Buffer.from(json) };
  };

  answer<AskedQuestion, AnswerBody & Timed>(
    '/questions',
    async ({ application, domain, sql, params, format }, signal, outside) => {
      const found = await segments.segmentsOf(application, domain, signal, outside);
      const reply = await processes.ask('question', { sql, params, format, ...found }, signal);
      return 'refusal' in reply ? reply : { answer: { ...reply.answer, asOf: found.asOf } };
    },
    (reply, { body, rows, truncated, asOf }) => {
      if (asOf) reply.header('sluice-as-of', asOf);
      reply.header('sluice-truncated', String(truncated));
      return { rows, body: Buffer.from(body) };
    },
  );

  answer<AskedFields, Timed & { json: string }>(
    '/fields',
    overEntries((entries, _body, signal) => processes.ask('fields', entries, signal)),
    sendJson,
  );
  answer<AskedCounts, Timed & { json: string }>(
    '/counts',
    overEntries((entries, { steps, path }, signal) =>
      processes.ask('counts', { ...entries, steps, path }, signal),
    ),
    sendJson,
  );
  answer<AskedSorted, Timed & { json: string }>(
    '/sorted',
    overEntries(async (entries, { path, descending, start, limit }, signal) => {
      const found = await processes.ask('sorted', { ...entries, path, descending, start, limit }, signal);
      return 'refusal' in found ? found : { answer: JSON.stringify(found.answer) };
    }),
    sendJson,
  );
  answer<AskedPage, PageAnswer & { end: string | undefined }>(
    '/pages',
    createAnswerPage({ segments, store, processes }),
    (_reply, { ids, total, end }) => ({ rows: ids.length, body: { ids, total, end } }),
  );
  return app;
}

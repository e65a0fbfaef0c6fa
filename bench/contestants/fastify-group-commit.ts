import { readFileSync } from 'node:fs';
import type { Document } from 'mongodb';
import { openCollection } from './collection.ts';
import fastify from './fastify.ts';

/**
 * Like insert-one.ts, but uploads share commands, of which two are on their way:
 * `node fastify-group-commit.ts <port> <schema> <MongoDB URL>`.
 */
const [port, schema, url] = process.argv.slice(2) as [string, string, string];
const { insert, toDocument } = await openCollection(url);
const app = fastify();
const inFlight = 2;

interface Waiting {
  document: Document;
  resolve(): void;
  reject(error: unknown): void;
}

let waiting: Waiting[] = [];
let commands = 0;
let scheduled = false;

const store = (document: Document) =>
  new Promise<void>((resolve, reject) => {
    waiting.push({ document, resolve, reject });
    schedule();
  });

/** Commits after all requests that have arrived are read, so that they share a command. */
function schedule(): void {
  if (scheduled || commands === inFlight || waiting.length === 0) return;
  scheduled = true;
  setImmediate(commit);
}

async function commit(): Promise<void> {
  const taken = waiting;
  waiting = [];
  scheduled = false;
  commands += 1;
  try {
    await insert(taken.map(({ document }) => document));
    for (const { resolve } of taken) resolve();
  } catch (error) {
    for (const { reject } of taken) reject(error);
  }
  commands -= 1;
  schedule();
}

app.post<{ Params: { domain: string }; Body: Document }>(
  '/api/applications/:domain/data',
  { schema: { body: JSON.parse(readFileSync(schema, 'utf8')) } },
  async ({ params, body }, reply) => {
    await store(toDocument(body));
    reply.code(201);
    return { success: true, status: 201, data: { domain: params.domain, payload: body } };
  },
);

await app.listen({ host: '127.0.0.1', port: Number(port) });
process.once('disconnect', () => process.exit());

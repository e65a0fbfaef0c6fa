import { readFileSync } from 'node:fs';
import type { Document } from 'mongodb';
import { openCollection } from './collection.ts';
import fastify from './fastify.ts';

/** Like fastify-ajv.ts, with a durable insertOne: `node insert-one.ts <port> <schema> <MongoDB URL>`. */
const [port, schema, url] = process.argv.slice(2) as [string, string, string];
const { entries, toDocument } = await openCollection(url);
const app = fastify();

app.post<{ Params: { domain: string }; Body: Document }>(
  '/api/applications/:domain/data',
  { schema: { body: JSON.parse(readFileSync(schema, 'utf8')) } },
  async ({ params, body }, reply) => {
    await entries.insertOne(toDocument(body));
    reply.code(201);
    return { success: true, status: 201, data: { domain: params.domain, payload: body } };
  },
);

await app.listen({ host: '127.0.0.1', port: Number(port) });
process.once('disconnect', () => process.exit());

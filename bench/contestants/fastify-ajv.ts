import { readFileSync } from 'node:fs';
import fastify from './fastify.ts';

/** Bare Fastify: `node fastify-ajv.ts <port> <file with the schema>`. Validates with Ajv, stores nothing. */
const [port, schema] = process.argv.slice(2) as [string, string];
const app = fastify();

app.post<{ Params: { domain: string } }>(
  '/api/applications/:domain/data',
  { schema: { body: JSON.parse(readFileSync(schema, 'utf8')) } },
  async ({ params, body }, reply) => {
    reply.code(201);
    return { success: true, status: 201, data: { domain: params.domain, payload: body } };
  },
);

await app.listen({ host: '127.0.0.1', port: Number(port) });
process.once('disconnect', () => process.exit());

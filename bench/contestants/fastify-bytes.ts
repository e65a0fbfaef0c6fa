import { readFileSync } from 'node:fs';
import fastify from './fastify.ts';

/** Like fastify-ajv.ts, but answers with the bytes of the request. */
const [port, schema] = process.argv.slice(2) as [string, string];
const app = fastify();
const parse = app.getDefaultJsonParser('error', 'error');
const kept = (request: object) => request as { bytes: Buffer };
const suffix = Buffer.from('}}');

app.decorateRequest('bytes', null);
app.removeContentTypeParser('application/json');
app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
  kept(request).bytes = body;
  parse(request, body.toString(), done);
});

app.post<{ Params: { domain: string } }>(
  '/api/applications/:domain/data',
  { schema: { body: JSON.parse(readFileSync(schema, 'utf8')) } },
  async (request, reply) => {
    const { domain } = request.params;
    const prefix = Buffer.from(`{"success":true,"status":201,"data":{"domain":"${domain}","payload":`);
    reply.code(201).type('application/json; charset=utf-8');
    return Buffer.concat([prefix, kept(request).bytes, suffix]);
  },
);

await app.listen({ host: '127.0.0.1', port: Number(port) });
process.once('disconnect', () => process.exit());

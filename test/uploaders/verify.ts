import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BadAnswer, failure, startBadProxy, stored } from './bad-proxy.ts';
import type { Scene } from './scene.ts';

const answer =
  (status: number, data: object): BadAnswer =>
  (response) =>
    response.writeHead(status).end(JSON.stringify({ success: true, data }));

/** A proxy that says of the second batch that it was stored, and passes all others on. Call in a test. */
async function startForgetfulProxy(api: string): Promise<string> {
  let batches = 0;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (request.url?.endsWith('/batch')) batches += 1;
    if (batches === 2 && request.url?.endsWith('/batch')) return stored(response);
    const { 'content-type': type = '', 'x-api-key': key = '', 'idempotency-key': once } = request.headers;
    const { 'content-encoding': encoding } = request.headers;
    const headers = {
      'content-type': type,
      'x-api-key': String(key),
      ...(encoding && { 'content-encoding': encoding }),
      ...(once && { 'idempotency-key': String(once) }),
    };
    const answer = await fetch(`${api}${request.url}`, { method: 'POST', headers, body });
    response.writeHead(answer.status).end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What the server no longer has of what it said was stored. */
export function tryVerify(scene: () => Scene): void {
  describe('verify', () => {
    /** Sends 6 entries in 3 batches. The keys of the missing ones are by index. */
    async function verifyAgainst(second: BadAnswer, missing: number[]) {
      const last: BadAnswer = (response) =>
        answer(200, { missing: missing.map((at) => proxy.requests[at]?.key) })(response);
      const proxy = await startBadProxy(stored, second, stored, last);
      const task = await scene().task({ url: proxy.url, to: 6, batchLines: 2, key: 'sk_example' });
      const program = scene().start(task);
      const code = await program.ended;
      const question = JSON.parse(proxy.requests[3]?.body ?? '{}');
      const keys = proxy.requests.map(({ key }) => key);
      return { code, ...program.output, question, keys };
    }

    it('counts the entries of the batches that the server misses', async () => {
      const { code, out, err, question, keys } = await verifyAgainst(stored, [1, 2]);
      expect([code, out, err]).toEqual([0, 'missing 4\n', '']);
      expect(question).toEqual({ keys: keys.slice(0, 3) });
    });

    it('asks for no batch of which nothing was stored, and counts no refused line', async () => {
      const errors = [{ line: 1, name: 'SchemaValidationError', message: 'no', details: [] }];
      const partly = await verifyAgainst(answer(207, { errors }), [1]);
      expect([partly.code, partly.out.trim().split('\n').at(-1)]).toEqual([0, 'missing 1']);
      const both = [...errors, { ...errors[0], line: 2 }];
      const none = await verifyAgainst(answer(207, { errors: both }), [0]);
      expect([none.code, none.out.trim().split('\n').at(-1)]).toEqual([0, 'missing 2']);
      expect(none.question).toEqual({ keys: [none.keys[0], none.keys[2]] });
    });

    it('finds what a proxy swallowed, and nothing else', async () => {
      const { key } = await scene().ask('POST', '/keys', { name: 'verify' });
      const from = 16_000_001;
      const usual = { from, to: from + 9, batchLines: 4, key };
      const whole = scene().start(await scene().task(usual));
      expect([await whole.ended, whole.output]).toEqual([0, { out: 'missing 0\n', err: '' }]);
      const url = await startForgetfulProxy(scene().api.url);
      const task = await scene().task({ ...usual, url, from: from + 100, to: from + 109 });
      const partly = scene().start(task);
      expect([await partly.ended, partly.output]).toEqual([0, { out: 'missing 4\n', err: '' }]);
    });

    it('fails with what the server says', async () => {
      const { url } = await startBadProxy(stored, failure(403, 'ForbiddenRequestError'));
      const program = scene().start(await scene().task({ url, to: 1, key: 'sk_example' }));
      expect([await program.ended, program.output.err]).toEqual([
        1,
        expect.stringContaining('403 ForbiddenRequestError: no'),
      ]);
    });
  });
}

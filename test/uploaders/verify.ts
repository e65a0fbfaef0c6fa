import { describe, expect, it } from 'vitest';
import { type BadAnswer, failure, startBadProxy, stored } from './bad-proxy.ts';
import type { Scene } from './scene.ts';

const answer =
  (status: number, data: object): BadAnswer =>
  (response) =>
    response.writeHead(status).end(JSON.stringify({ success: true, data }));

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

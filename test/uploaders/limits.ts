import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/sluice.ts';
import { endless, failure, startBadProxy, stored } from './bad-proxy.ts';
import type { Scene } from './scene.ts';

const tooLarge = failure(413, 'PayloadTooLargeError');

/** A server that takes less at once than the uploader sends. */
export function tryLimits(scene: () => Scene): void {
  describe('where the server takes less at once', () => {
    beforeAll(() => scene().restart({ BATCH_LIMIT: '1MiB', UPLOAD_RATE: '1500/1s' }));
    afterAll(() => scene().restart());

    it.each([
      ['bytes', 11_000_001, 500, false],
      ['bytes, with a spool', 12_000_001, 500, true],
      ['lines', 13_000_001, 1, false],
      ['lines, with a spool', 14_000_001, 1, true],
    ])('stores all in smaller batches: fewer %s', async (_, from, characters, hasSpool) => {
      const limits = { batchLines: 5_000, heldBytes: 64 * 1024 ** 2 };
      const spool = hasSpool ? scene().spool() : '-';
      const task = await scene().task({ ...limits, from, to: from + 3_999, characters, spool });
      const program = scene().start(task);
      expect([await program.ended, program.output]).toEqual([0, { out: '', err: '' }]);
      const found = await scene().stored();
      for (let n = from; n < from + 4_000; n++) expect(found.get(n)).toBe(1);
    });
  });

  /** A process that died while the first half of its batch was under way. */
  async function splitAndKilled() {
    const { url, requests } = await startBadProxy(tooLarge, endless);
    const task = await scene().task({ url, spool: scene().spool(), to: 4, batchLines: 4 });
    const program = scene().start(task);
    await until(async () => requests[1]?.body !== '' && requests.length === 2);
    program.kill();
    await program.ended;
    return { requests, task };
  }

  /** What the next process sends. */
  async function sentByNext(task: Awaited<ReturnType<typeof splitAndKilled>>['task']) {
    const { url, requests } = await startBadProxy(stored);
    const next = scene().start({ ...task, url, to: 0 });
    expect([await next.ended, next.output.err]).toEqual([0, '']);
    return requests;
  }

  it('sends a half again with its key after a crash', async () => {
    const { requests, task } = await splitAndKilled();
    const sent = await sentByNext(task);
    expect(sent[0]).toEqual(requests[1]);
    expect(sent.map(({ body }) => body).join('')).toBe(requests[0]?.body);
    expect(new Set([...requests, ...sent].map(({ key }) => key)).size).toBe(3);
  });

  it('sends no entry twice after a crash in the middle of a split', async () => {
    const { requests, task } = await splitAndKilled();
    const [{ key, body } = { key: '', body: '' }] = requests;
    writeFileSync(join(task.spool, `${key}.ndjson`), body);
    const sent = await sentByNext(task);
    expect(sent.map((request) => request.body).join('')).toBe(body);
  });

  it('tells of an entry that is too large alone, and goes on', async () => {
    const { url, requests } = await startBadProxy(tooLarge, tooLarge, stored);
    const program = scene().start(await scene().task({ url, to: 2 }));
    expect([await program.ended, program.output.err]).toEqual([0, '']);
    expect(JSON.parse(program.output.out)).toMatchObject({
      entry: { n: 1 },
      line: 1,
      name: 'PayloadTooLargeError',
      details: [],
    });
    expect(requests.length).toBe(3);
  });
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startAwayServer } from './away-server.ts';
import { cut, endless, page, startBadProxy, stored } from './bad-proxy.ts';
import { acknowledged } from './program.ts';
import type { Scene } from './scene.ts';

const isRoot = process.getuid?.() === 0;
const isFull = process.env.FULL !== undefined;

/** Broken proxies and full disks. */
export function tryBadDays(scene: () => Scene): void {
  async function sendTo(url: string, closeSeconds = 300) {
    const program = scene().start(await scene().task({ url, to: 3, closeSeconds }));
    const code = await program.ended;
    return { code, told: program.output.out.split('\n').length - 1, err: program.output.err };
  }

  it('repeats a batch with its key until the answer is one of Sluice', async () => {
    const { url, requests } = await startBadProxy(
      page(429, { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' }),
      cut,
      page(207, { 'retry-after': '0' }),
      page(502, { 'retry-after': '0' }),
      page(408, { 'retry-after': '0' }),
      stored,
    );
    expect(await sendTo(url)).toEqual({ code: 0, told: 0, err: '' });
    expect(requests.map(({ body }) => body.split('\n').length)).toEqual(Array(6).fill(4));
    expect(new Set(requests.map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
  });

  it.each([
    ['a redirect', page(308, { location: '/login' })],
    ['a page', page(200)],
    ['422 without lines', page(422)],
  ])('keeps a batch after %s, and says so at the end', async (_name, answer) => {
    const { url, requests } = await startBadProxy(answer);
    const { code, told, err } = await sendTo(url);
    expect([code, told, err]).toEqual([1, 0, expect.stringMatching(/\b3 entries .*the answer has status/)]);
    expect(requests.length).toBe(1);
  });

  it('does not hurry because of a Retry-After that is too large', async () => {
    const { url, requests } = await startBadProxy(page(503, { 'retry-after': '9999999999' }));
    const { code, err } = await sendTo(url, 1);
    expect([code, err]).toEqual([1, expect.stringMatching(/\b3 entries/)]);
    expect(err).not.toMatch(/Overflow/);
    expect(requests.length).toBe(1);
  });

  it('ends in its time although an answer has no end', async () => {
    const { url } = await startBadProxy(endless);
    const start = performance.now();
    const { code, err } = await sendTo(url, 1);
    expect([code, err]).toEqual([1, expect.stringMatching(/\b3 entries/)]);
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  it.runIf(isFull)('repeats a batch whose answer does not end within 60 s', async () => {
    const { url, requests } = await startBadProxy(endless, stored);
    expect(await sendTo(url)).toEqual({ code: 0, told: 0, err: '' });
    expect(requests[1]).toEqual(requests[0]);
  });

  it('puts what it takes behind what its spool has, though the clock has gone back', async () => {
    const { url } = await startAwayServer();
    const [spool, n] = [scene().spool(), 6_000_001];
    mkdirSync(spool);
    const tomorrow = Date.now() + 86_400_000;
    writeFileSync(join(spool, `${tomorrow}-0123456789abcdef.ndjson`), `{"n":${n},"text":""}\n`);
    const task = { url, spool, from: n + 1, to: n + 3, batchLines: 1, closeSeconds: 1 };
    expect(await scene().start(await scene().task(task)).ended).toBe(1);
    const files = readdirSync(spool).filter((name) => name.endsWith('.ndjson'));
    const numbers = files.sort().map((name) => JSON.parse(readFileSync(join(spool, name), 'utf8')).n);
    expect(numbers).toEqual([n, n + 1, n + 2, n + 3]);
  });

  it.runIf(isRoot)('fails when the disk of its spool is full, and stores what it took before', async () => {
    const spool = scene().spool();
    mkdirSync(spool);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', spool]);
    onTestFinished(() => void execFileSync('umount', [spool]));
    const { url } = await startAwayServer();
    const from = 4_000_001;
    const task = await scene().task({
      url,
      spool,
      from,
      to: from + 1_000,
      characters: 1_000,
      closeSeconds: 1,
    });
    const program = scene().start(task);
    expect([await program.ended, program.output.err]).toEqual([1, expect.stringMatching(/space|room/i)]);
    const taken = acknowledged(task.progress);
    expect(taken.length).toBeGreaterThan(150);

    execFileSync('mount', ['-o', 'remount,size=1m', spool]);
    const next = scene().start({ ...task, url: scene().api.url, to: 0, closeSeconds: 300 });
    expect([await next.ended, next.output.err]).toEqual([0, '']);
    const found = await scene().stored();
    expect(taken.filter((n) => found.get(n) !== 1)).toEqual([]);
  });
}

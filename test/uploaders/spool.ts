import { unlinkSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startAwayServer } from './away-server.ts';
import { failure, startBadProxy, stored } from './bad-proxy.ts';
import type { Scene } from './scene.ts';

/** Spools that an earlier process left, and that another one uses. */
export function trySpool(scene: () => Scene): void {
  it('begins with the whole lines of its spool, and drops the line that was cut off', async () => {
    const task = await scene().task({ spool: scene().spool() });
    await mkdir(task.spool);
    const file = join(task.spool, '1234567890123-0123456789abcdef.ndjson');
    await writeFile(file, '{"n":3000001,"text":""}\n{"n":3000002,"text":""}\n{"n":3000003,"te');
    const program = scene().start(task);
    expect([await program.ended, program.output.err]).toEqual([0, '']);
    const found = await scene().stored();
    expect([1, 2, 3].map((one) => found.get(3_000_000 + one))).toEqual([1, 1, undefined]);
    expect((await readdir(task.spool)).filter((name) => name.endsWith('.ndjson'))).toEqual([]);
  });

  it('sets aside what it cannot read, tells of a line that is no JSON, and sends the rest', async () => {
    const task = await scene().task({ spool: scene().spool() });
    const batch = (at: number) => join(task.spool, `${at}234567890123-0123456789abcdef.ndjson`);
    await mkdir(batch(1), { recursive: true });
    await writeFile(batch(2), '{"n":3100001,"text":""}\n\0\0\n{"n":3100002,"text":""}\n');
    await writeFile(batch(3), '{"n":3100003,"text":""}\n');
    const program = scene().start(task);
    expect(await program.ended, program.output.err).toBe(0);
    expect(JSON.parse(program.output.out)).toMatchObject({
      entry: '\0\0',
      line: 2,
      name: 'MalformedBodyError',
    });
    expect(program.output.err).toMatch(/1234567890123-0123456789abcdef\.bad/);
    const found = await scene().stored();
    expect([1, 2, 3].map((n) => found.get(3_100_000 + n))).toEqual([1, 1, 1]);
    const left = (await readdir(task.spool)).filter((name) => name !== 'lock');
    expect(left).toEqual(['1234567890123-0123456789abcdef.bad']);
  });

  it('sets aside a batch of which the server has another version, and sends the rest', async () => {
    const task = await scene().task({ spool: scene().spool() });
    await mkdir(task.spool);
    for (const at of [1, 2])
      await writeFile(
        join(task.spool, `${at}234567890123-0123456789abcdef.ndjson`),
        `{"n":${at},"text":""}\n`,
      );
    const { url, requests } = await startBadProxy(failure(409, 'ResourceConflictError'), stored);
    const program = scene().start({ ...task, url });
    expect(await program.ended, program.output.err).toBe(0);
    expect(program.output.err).toMatch(/1234567890123-0123456789abcdef\.bad/);
    expect(requests.map(({ body }) => JSON.parse(body).n)).toEqual([1, 2]);
    const left = (await readdir(task.spool)).filter((name) => name !== 'lock');
    expect(left).toEqual(['1234567890123-0123456789abcdef.bad']);
  });

  it('fails if another process removes a batch, which does not count as sent', async () => {
    const spool = scene().spool();
    const batch = (at: number) => join(spool, `${at}234567890123-0123456789abcdef.ndjson`);
    await mkdir(spool);
    for (const at of [1, 2, 3]) await writeFile(batch(at), `{"n":${at},"text":""}\n`);
    const { url, requests } = await startBadProxy((response) => {
      unlinkSync(batch(3));
      stored(response);
    }, stored);
    const program = scene().start(await scene().task({ url, spool }));
    expect(await program.ended).toBe(1);
    expect(program.output.err).toMatch(/\b1 entries are not stored/);
    expect(requests.length).toBe(2);
  });

  it('fails if another process uses its spool', async () => {
    const { url, requests } = await startAwayServer();
    const task = await scene().task({ url, spool: scene().spool(), to: 1 });
    scene().start(task);
    await requests(1);
    const second = scene().start({ ...task, from: 2, to: 2 });
    expect(await second.ended).toBe(1);
    expect(second.output.err).toMatch(/process .*uses/);
  });
}

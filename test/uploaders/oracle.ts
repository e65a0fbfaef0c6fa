import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/sluice.ts';
import { startAwayServer } from './away-server.ts';
import { tryBadDays } from './bad-days.ts';
import { type Kills, sendThroughKills } from './killed.ts';
import type { Language } from './language.ts';
import { acknowledged } from './program.ts';
import { prepareScene, type Scene } from './scene.ts';
import { schema } from './schema.ts';

const isFull = process.env.FULL !== undefined;
const kills: Kills = isFull
  ? { count: 100_000, ofApi: 5, ofClient: 5 }
  : { count: 10_000, ofApi: 1, ofClient: 2 };

/** The tests of an uploader, in any language. `README.md` says how a language plugs in. */
export function tryUploader(language: Language, more: (scene: () => Scene) => void = () => {}): void {
  describe(`the uploader in ${language.name}`, () => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await prepareScene(language);
    });
    afterAll(() => scene?.stop());

    it('tells of each refused entry, with its line and pointer, and stores the others', async () => {
      const program = scene.start(await scene.task({ from: -5, to: 0 }));
      expect([await program.ended, program.output.err]).toEqual([0, '']);
      const refusals = program.output.out.trim().split('\n');
      expect(refusals.map((line) => JSON.parse(line))).toMatchObject(
        [-5, -4, -3, -2, -1].map((n, at) => ({
          entry: { n },
          line: at + 1,
          name: 'SchemaValidationError',
          details: [{ path: '/n', keyword: 'minimum' }],
        })),
      );
      expect(await scene.stored()).toEqual(new Map([[0, 1]]));
    });

    it('stores each acknowledged entry once while the API and the client are killed', async () => {
      await sendThroughKills(scene, kills);
    });

    describe('on bad days', () => tryBadDays(() => scene));

    describe('where a key is required', () => {
      const n = 2_000_001;
      beforeAll(() => scene.ask('PATCH', '', { key_required: true }));
      afterAll(() => scene.ask('PATCH', '', { key_required: false }));

      it('tells of each entry that it is refused', async () => {
        const program = scene.start(await scene.task({ from: n, to: n + 2 }));
        expect([await program.ended, program.output.err]).toEqual([0, '']);
        const refusals = program.output.out.trim().split('\n');
        expect(refusals.map((line) => JSON.parse(line))).toMatchObject(
          [1, 2, 3].map((line) => ({ entry: { n: n + line - 1 }, line, name: 'ForbiddenRequestError' })),
        );
      });

      it('keeps the entries in its spool, and fails with their number', async () => {
        const task = await scene.task({ spool: scene.spool(), from: n, to: n + 2 });
        const program = scene.start(task);
        expect(await program.ended).toBe(1);
        expect(program.output.err).toMatch(/\b3 entries.*an ingest key is required/);
        await scene.ask('PATCH', '', { key_required: false });
        const next = scene.start({ ...task, to: 0 });
        expect([await next.ended, next.output.err]).toEqual([0, '']);
        const stored = await scene.stored();
        expect([n, n + 1, n + 2].map((one) => stored.get(one))).toEqual([1, 1, 1]);
      });
    });

    it('begins with the whole lines of its spool, and drops the line that was cut off', async () => {
      const task = await scene.task({ spool: scene.spool() });
      await mkdir(task.spool);
      const file = join(task.spool, '1234567890123-0123456789abcdef.ndjson');
      await writeFile(file, '{"n":3000001,"text":""}\n{"n":3000002,"text":""}\n{"n":3000003,"te');
      const program = scene.start(task);
      expect([await program.ended, program.output.err]).toEqual([0, '']);
      const stored = await scene.stored();
      expect([1, 2, 3].map((one) => stored.get(3_000_000 + one))).toEqual([1, 1, undefined]);
      expect((await readdir(task.spool)).filter((name) => name.endsWith('.ndjson'))).toEqual([]);
    });

    it('fails to close after its time, with the number of entries that are not stored', async () => {
      const { url } = await startAwayServer();
      const program = scene.start(await scene.task({ url, to: 3, closeSeconds: 1 }));
      expect(await program.ended).toBe(1);
      expect(program.output.err).toMatch(/\b3 entries/);
    });

    it('fails if another process uses its spool', async () => {
      const { url, requests } = await startAwayServer();
      const task = await scene.task({ url, spool: scene.spool(), to: 1 });
      scene.start(task);
      await requests(1);
      const second = scene.start({ ...task, from: 2, to: 2 });
      expect(await second.ended).toBe(1);
      expect(second.output.err).toMatch(/process .*uses/);
    });

    it('holds no more than it may while the server is away', async () => {
      const server = await startAwayServer();
      const heldBytes = 32 * 1024 ** 2;
      const task = await scene.task({ url: server.url, to: 1_000_000, characters: 1_000, heldBytes });
      const program = scene.start(task);
      const bytes = () => 1_020 * acknowledged(task.progress).length;
      await until(async () => bytes() > 0.9 * heldBytes || program.hasEnded());
      await server.requests(2);
      expect(bytes()).toBeLessThan(1.1 * heldBytes);
      console.log(`${language.name} needs ${program.peakMemory().toFixed(0)} MiB`);
      expect(program.peakMemory()).toBeLessThan(language.mostMemory);
      program.kill();
    });

    it('tells once that the schema has become stricter', async () => {
      const { n, text } = schema.properties;
      const stricter = { ...schema, properties: { n, text: { ...text, maxLength: 1_000 } } };
      await scene.ask('POST', '/schemas', { schema: stricter });
      const begin = 5_000_000;
      const program = scene.start(await scene.task({ from: begin, to: begin + 9, batchLines: 2 }));
      expect(await program.ended).toBe(0);
      const warnings = program.output.err.trim().split('\n');
      expect(warnings).toEqual([expect.stringMatching(/version 2\b.*\bstricter\b/)]);
      expect(warnings[0]).toContain(`sluice client ${language.name} --app ${scene.domain}`);
    });

    more(() => scene);
  });
}

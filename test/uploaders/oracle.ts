import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/sluice.ts';
import { startAwayServer } from './away-server.ts';
import { tryBadDays } from './bad-days.ts';
import { tryKeys } from './keys.ts';
import { type Kills, sendThroughKills } from './killed.ts';
import type { Language } from './language.ts';
import { tryLimits } from './limits.ts';
import { tryPoison } from './poison.ts';
import { acknowledged } from './program.ts';
import { prepareScene, type Scene } from './scene.ts';
import { schema } from './schema.ts';
import { trySpool } from './spool.ts';
import { tryVerify } from './verify.ts';

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
    describe('where a key is required', () => tryKeys(() => scene));
    describe('with poison', () => tryPoison(() => scene, language));
    tryLimits(() => scene);
    trySpool(() => scene);
    tryVerify(() => scene);

    it('fails to close after its time, with the number of entries that are not stored', async () => {
      const { url } = await startAwayServer();
      const program = scene.start(await scene.task({ url, to: 3, closeSeconds: 1 }));
      expect(await program.ended).toBe(1);
      expect(program.output.err).toMatch(/\b3 entries/);
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
      expect(warnings[0]).toContain('sluice client update ');
    });

    it('sends to another application, whose versions are not those of its types', async () => {
      const domain = await scene.api.application(schema);
      await scene.ask('POST', '/schemas', { schema: { ...schema, maxProperties: 20 } }, domain);
      const n = 8_000_000;
      const program = scene.start(await scene.task({ domain, from: n, to: n }));
      expect([await program.ended, program.output]).toEqual([0, { out: '', err: '' }]);
      expect((await scene.stored()).get(n)).toBe(1);
    });

    more(() => scene);
  });
}

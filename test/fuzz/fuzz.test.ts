import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sluice, startSluice } from '../support/sluice.ts';
import { createScene, type Scene } from './scene.ts';
import { runSchemathesis } from './schemathesis.ts';

const examples = Number(process.env.FUZZ_EXAMPLES ?? 5);
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);

let sluice: Sluice;
beforeAll(async () => {
  // What limits there are is tested elsewhere; here they would hide what is behind them.
  const env = { UPLOAD_RATE: 'off', APPLICATION_QUOTA: '100000', JOB_QUOTA: '100000' };
  sluice = await startSluice({ env, questions: true });
});
afterAll(() => sluice.stop());

/** Headers of each caller, in a scene of another's. */
const callers: Record<string, (scene: Scene) => Promise<Record<string, string>>> = {
  owner: async ({ token }) => ({ Authorization: `Bearer ${token}` }),
  anonymous: async () => ({}),
  'ingest key': async ({ key }) => ({ 'X-Api-Key': key }),
  'other user': async () => ({ Authorization: `Bearer ${(await sluice.owner()).token}` }),
};

it.each(Object.keys(callers))('every answer to %s is as the description says', async (caller) => {
  const scene = await createScene(sluice);
  const headers = (await callers[caller]?.(scene)) ?? {};
  const { url } = sluice;
  const { dictionaries } = scene;
  // Who is refused needs no systematic cases and sequences. Examples are sent in test/clients/examples.test.ts.
  const phases = caller === 'owner' ? 'coverage,fuzzing,stateful' : 'fuzzing';
  const run = { url, caller, headers, dictionaries, phases, examples, seed };
  const { code, output } = await runSchemathesis(run);
  const cases = Number(/^ *(\d+) generated/m.exec(output)?.[1] ?? 0);
  console.log(`${caller}: ${cases} cases, FUZZ_EXAMPLES=${examples} FUZZ_SEED=${seed}`);
  if (code !== 0) console.log(output);
  expect({ caller, seed, code }).toEqual({ caller, seed, code: 0 });
  expect(cases).toBeGreaterThan(0);
});

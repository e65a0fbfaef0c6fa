import { expect, it } from 'vitest';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { exitOf, runApi } from '../support/service-process.ts';
import { call, ownStores, startSluice, until } from '../support/sluice.ts';

const clients = 8;
const perClient = 60;

/** Uploads that are refused for two reasons, one after the other; resolves with how many were answered 422. */
async function flood(url: string, path: string): Promise<number> {
  let refused = 0;
  for (let n = 0; n < perClient; n++) {
    const json = n % 3 === 0 ? {} : { celsius: `${n}` };
    const { status } = await call(url, 'POST', `/api${path}/data`, { json });
    if (status === 422) refused += 1;
  }
  return refused;
}

it('counts are exact however many come to several processes, also when these are stopped', async () => {
  const env = ownStores();
  const apis = await Promise.all([runApi(env), runApi(env)]);
  const sluice = await startSluice({ workers: false, env });
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, celsiusSchema);
  const { path, groups, list, counted } = refusedClient(sluice, token, domain);
  const floods = Array.from({ length: clients }, (_, n) => flood((apis[n % 2] as { url: string }).url, path));
  const answered = (await Promise.all(floods)).reduce((sum, refused) => sum + refused, 0);
  expect(answered).toBe(clients * perClient);
  for (const { child } of apis) child.kill('SIGTERM');
  for (const { child } of apis) expect(await exitOf(child)).toBe(0);
  await until(async () => (await counted()) === answered);
  expect(await groups()).toMatchObject([
    { path: '/celsius', keyword: 'type', count: (2 * answered) / 3 },
    { path: '', keyword: 'required', count: answered / 3 },
  ]);
  // Few enough that each process keeps all.
  expect((await list()).pagination.total).toBe(answered);
  await sluice.stop();
});

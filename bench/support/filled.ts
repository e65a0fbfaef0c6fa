import type { Bench } from './bench.ts';
import { fillEntries } from './fill-entries.ts';
import { expectEcho, settle } from './measure.ts';
import { payloadOf, type Shape, schemaOf } from './payload.ts';
import { startSluice } from './sluice.ts';
import { applicationId, withStore } from './store.ts';

interface Filled {
  ageMs?: number;
  shape?: Shape;
  env?: NodeJS.ProcessEnv;
}

/** An API and an application with many entries of 1 KB, all but one older than `ageMs`. */
export async function startFilled(
  bench: Bench,
  database: string,
  entries: number,
  { ageMs, shape, env }: Filled = {},
) {
  const sluice = await startSluice(bench, { database, schema: schemaOf(shape), ...(env && { env }) });
  await expectEcho(sluice.uploads, bench.write('payload.json', payloadOf(1_024, shape)));
  await fillEntries(bench, database, sluice.domain, entries - 1, { ageMs, shape });
  await settle(bench);
  const application = await withStore(bench, database, (store) => applicationId(store, sluice.domain));
  return { ...sluice, application };
}

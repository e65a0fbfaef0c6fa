import type { Bench } from '../support/bench.ts';
import { forEach } from '../support/for-each.ts';
import { openAccount, startApi } from '../support/sluice.ts';
import { withStore } from '../support/store.ts';

const atOnce = 4;

/** Creates the first application over the API, the others in the store. Resolves with their domains. */
export async function createApplications(bench: Bench, database: string, schemas: object[]) {
  const api = await startApi(bench, { database });
  const first = await (await openAccount(api.url)).create(schemas[0] as object);
  await api.stop();
  return withStore(bench, database, async ({ applications }) => {
    const record = await applications.byDomain(first);
    if (!record) throw new Error(`there is no application ${first}`);
    const { owner, name, type, connectors } = record;
    const others = schemas
      .slice(1)
      .map((schema, i) => ({ domain: `bench-${i + 2}`, rawSchema: JSON.stringify(schema) }));
    await forEach(others, atOnce, async (fields) => {
      const created = await applications.create({ owner, name, type, connectors, ...fields });
      if (!created) throw new Error(`the domain ${fields.domain} is taken`);
    });
    return [first, ...others.map(({ domain }) => domain)];
  });
}

import { expect, it } from 'vitest';
import { sharedSluice, startSluice, until } from '../support/sluice.ts';

/** How often the API is started again. */
const restarts = Number(process.env.WIDE_RESTARTS ?? 1);

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const columns = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);

// Compilation is tested with more widths.
it.each([1_500])(
  'takes the first upload after a restart where the schema has %i properties, and tells what is wrong with another',
  async (count) => {
    const properties = Object.fromEntries(columns(count).map((name) => [name, { type: 'number' }]));
    const began = performance.now();
    const domain = await sluice.application(token, { type: 'object', properties });
    const created = performance.now() - began;
    const payload = Object.fromEntries(columns(count).map((name, i) => [name, i]));
    const first: number[] = [];
    for (let i = 0; i < restarts; i++) {
      const other = await startSluice({ workers: false, env: sluice.env });
      try {
        const sent = performance.now();
        const taken = await other.request('POST', `/applications/${domain}/data`, { json: payload });
        first.push(Math.round(performance.now() - sent));
        expect(taken.status).toBe(201);
        const json = { ...payload, p0: 'x', [`p${count - 1}`]: 'y' };
        // What explains has a time, which a busy machine may exceed.
        await until(async () => {
          const refused = await other.request('POST', `/applications/${domain}/data`, { json });
          expect(refused.status).toBe(422);
          return refused.body.error.details?.length === 2;
        });
      } finally {
        await other.stop();
      }
    }
    if (restarts > 1)
      console.log(`${count}: created in ${Math.round(created)} ms, first uploads ${first} ms`);
  },
);

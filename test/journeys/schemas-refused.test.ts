import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { payloads, schemas } from '../support/random-schemas.ts';
import { refusedSchemas } from '../support/refused-schemas.ts';
import { runs } from '../support/runs.ts';
import { sharedSluice } from '../support/sluice.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const create = (schema: string) =>
  sluice.request('POST', '/applications', { token, json: { name: 'Test', type: 'other', schema } });

// All kinds are tested where schemas are compiled.
it.each(refusedSchemas.slice(0, 2))(
  'a schema is refused: %s: %s',
  async (_documented, _what, schema, message) => {
    const { status, body } = await create(schema);
    expect({ status, name: body.error?.name }).toEqual({ status: 422, name: 'InvalidSchemaError' });
    expect(body.error.message).toMatch(message);
  },
);

describe('schemas of any kind', () => {
  it('are taken or refused, as are payloads for them, and no fault of the service comes of them', async () => {
    const often = runs(30);
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(schemas, payloads, async (schema, payload) => {
        const created = await create(JSON.stringify(schema));
        expect([200, 422]).toContain(created.status);
        if (created.status === 422) return;
        taken += 1;
        const path = `/applications/${created.body.data.domain}/data`;
        const uploaded = await sluice.request('POST', path, { json: payload });
        // Any JSON may have the one key that no body may have.
        const isMalformed = JSON.stringify(payload).includes('"__proto__":');
        expect(isMalformed ? [400] : [201, 422]).toContain(uploaded.status);
      }),
      often,
    );
    expect(taken).toBeGreaterThan(often.numRuns / 10);
  }, 120_000);

  it('hold up nobody while they are compiled', async () => {
    const domain = await sluice.application(token);
    const slow = refusedSchemas.find(([, what]) => what === 'references that expand')?.[2] as string;
    const upload = async () =>
      (await sluice.request('POST', `/applications/${domain}/data`, { json: {} })).status;
    let meanwhile = 0;
    // On a busy machine an upload, too, may take as long as a schema is compiled.
    for (let attempt = 0; attempt < 10 && meanwhile === 0; attempt++) {
      let refused = false;
      const refusal = create(slow).then(({ status }) => {
        refused = true;
        return status;
      });
      while (!refused) {
        expect(await upload()).toBe(201);
        if (!refused) meanwhile += 1;
      }
      expect(await refusal).toBe(422);
    }
    expect(meanwhile).toBeGreaterThan(0);
  });
});

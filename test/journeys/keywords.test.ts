import { drafts, metaSchemaUris } from '@sluice/schemas/draft.ts';
import { expect, it } from 'vitest';
import { keywordRows } from '../support/keyword-rows.ts';
import { sharedSluice } from '../support/sluice.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

// All keywords are tested where schemas are compiled.
it.each(drafts)('an application has a schema of draft %s', async (draft) => {
  const { schema, good, bad, path, reported } =
    keywordRows.findLast((row) => row.drafts.includes(draft)) ?? {};
  const domain = await sluice.application(token, {
    $schema: metaSchemaUris[draft],
    type: 'object',
    ...schema,
  });
  const upload = (json: unknown) => sluice.request('POST', `/applications/${domain}/data`, { json });
  expect((await upload(good)).status).toBe(201);
  const { status, body } = await upload(bad);
  expect([status, body.error.name]).toEqual([422, 'SchemaValidationError']);
  expect(body.error.details).toContainEqual({ path, keyword: reported, message: expect.any(String) });
});

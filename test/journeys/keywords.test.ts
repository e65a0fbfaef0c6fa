import { keywordsOf } from '@sluice/schemas/check/keywords.ts';
import { drafts, metaSchemaUris } from '@sluice/schemas/draft.ts';
import { describe, expect, it } from 'vitest';
import { idle, keywordRows, notes } from '../support/keyword-rows.ts';
import { sharedSluice } from '../support/sluice.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const upload = (domain: string, json: object) =>
  sluice.request('POST', `/applications/${domain}/data`, { json });

describe.each(drafts)('draft %s', (draft) => {
  const application = (schema: object) =>
    sluice.application(token, { $schema: metaSchemaUris[draft], type: 'object', ...schema });
  const known = keywordsOf(draft);
  const rows = keywordRows.filter((row) => row.drafts.includes(draft));

  it.each(rows)('knows $keyword $what', async ({ schema, good, bad, path, reported }) => {
    const domain = await application(schema);
    expect((await upload(domain, good)).text).toContain('"status":201');
    const refused = await upload(domain, bad);
    expect(refused.status).toBe(422);
    expect(refused.body.error.name).toBe('SchemaValidationError');
    expect(refused.body.error.details).toContainEqual({
      path,
      keyword: reported,
      message: expect.any(String),
    });
  });

  const unknown = [...new Set(keywordRows.map(({ keyword }) => keyword))].filter((one) => !known.has(one));
  it.each(unknown)('does nothing for %s', async (keyword) => {
    const row = keywordRows.find((one) => one.keyword === keyword);
    const { schema, payload } = idle[keyword] ?? { schema: row?.schema ?? {}, payload: row?.bad ?? {} };
    const domain = await application(schema);
    expect((await upload(domain, payload)).text).toContain('"status":201');
  });

  it('does nothing for what tells a reader something', async () => {
    const domain = await application(notes.schema);
    expect((await upload(domain, notes.payload)).text).toContain('"status":201');
  });

  it('has a row for each of its keywords', () => {
    const covered = new Set(rows.map(({ keyword }) => keyword));
    expect([...known].filter(([keyword, shape]) => shape !== 'note' && !covered.has(keyword))).toEqual([]);
    expect([...covered].filter((keyword) => !known.has(keyword))).toEqual([]);
  });
});

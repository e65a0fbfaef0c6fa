import { afterAll, describe, expect, it } from 'vitest';
import { idle, keywordRows, notes } from '../../../../test/support/keyword-rows.ts';
import { keywordsOf } from '../check/keywords.ts';
import { drafts, metaSchemaUris } from '../draft.ts';
import type { Validator } from '../validate/validator.ts';
import { createCompiler } from './compiler.ts';

const compiler = createCompiler({ deadlineMs: 60_000 });
afterAll(() => compiler.close());

describe.each(drafts)('draft %s', (draft) => {
  async function compile(part: object): Promise<Validator> {
    const schema = { $schema: metaSchemaUris[draft], type: 'object', ...part };
    const compiled = await compiler.compile(JSON.stringify(schema), { isNew: true });
    if (!compiled.ok) throw new Error(compiled.problem);
    return compiled.validator;
  }
  const known = keywordsOf(draft);
  const rows = keywordRows.filter((row) => row.drafts.includes(draft));

  it.each(rows)('knows $keyword $what', async ({ schema, good, bad, path, reported }) => {
    const validator = await compile(schema);
    expect(validator.validate(good)).toBeNull();
    const issues = await validator.explain(bad, validator.validate(bad) ?? []);
    expect(issues).toContainEqual(
      expect.objectContaining({ path, keyword: reported, message: expect.any(String) }),
    );
  });

  const unknown = [...new Set(keywordRows.map(({ keyword }) => keyword))].filter((one) => !known.has(one));
  it.each(unknown)('does nothing for %s', async (keyword) => {
    const row = keywordRows.find((one) => one.keyword === keyword);
    const { schema, payload } = idle[keyword] ?? { schema: row?.schema ?? {}, payload: row?.bad ?? {} };
    expect((await compile(schema)).validate(payload)).toBeNull();
  });

  it('does nothing for what tells a reader something', async () => {
    expect((await compile(notes.schema)).validate(notes.payload)).toBeNull();
  });

  it('has a row for each of its keywords', () => {
    const covered = new Set(rows.map(({ keyword }) => keyword));
    expect([...known].filter(([keyword, shape]) => shape !== 'note' && !covered.has(keyword))).toEqual([]);
    expect([...covered].filter((keyword) => !known.has(keyword))).toEqual([]);
  });
});

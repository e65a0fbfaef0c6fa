import { afterAll, describe, expect, it } from 'vitest';
import { faultsOf } from '../../../../test/support/faults-of.ts';
import { idle, keywordRows, notes } from '../../../../test/support/keyword-rows.ts';
import { keywordsOf } from '../check/keywords.ts';
import { drafts, metaSchemaUris } from '../draft.ts';
import type { CompiledSchema } from '../judge/compiled-schema.ts';
import { createCompiler } from './compiler.ts';

const compiler = createCompiler({ deadlineMs: 60_000 });
afterAll(() => compiler.close());

describe.each(drafts)('draft %s', (draft) => {
  async function compile(part: object): Promise<CompiledSchema> {
    const schema = { $schema: metaSchemaUris[draft], type: 'object', ...part };
    const compiled = await compiler.compile(JSON.stringify(schema), { isNew: true });
    if (!compiled.ok) throw new Error(compiled.problem);
    return compiled.schema;
  }
  const known = keywordsOf(draft);
  const rows = keywordRows.filter((row) => row.drafts.includes(draft));

  it.each(rows)('knows $keyword $what', async ({ schema, good, bad, path, reported }) => {
    const compiled = await compile(schema);
    expect(compiled.judge(good)).toBe('conforms');
    expect(faultsOf(compiled, bad)).toContainEqual(
      expect.objectContaining({ path, keyword: reported, message: expect.any(String) }),
    );
  });

  const unknown = [...new Set(keywordRows.map(({ keyword }) => keyword))].filter((one) => !known.has(one));
  it.each(unknown)('does nothing for %s', async (keyword) => {
    const row = keywordRows.find((one) => one.keyword === keyword);
    const { schema, payload } = idle[keyword] ?? { schema: row?.schema ?? {}, payload: row?.bad ?? {} };
    expect((await compile(schema)).judge(payload)).toBe('conforms');
  });

  it('does nothing for what tells a reader something', async () => {
    expect((await compile(notes.schema)).judge(notes.payload)).toBe('conforms');
  });

  it('has a row for each of its keywords', () => {
    const covered = new Set(rows.map(({ keyword }) => keyword));
    expect([...known].filter(([keyword, shape]) => shape !== 'note' && !covered.has(keyword))).toEqual([]);
    expect([...covered].filter((keyword) => !known.has(keyword))).toEqual([]);
  });
});

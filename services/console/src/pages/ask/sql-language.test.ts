import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { expect, it } from 'vitest';
import { columnsToAsk } from './columns.ts';
import { completeSql, sqlLanguage } from './sql-language.ts';

const complete = completeSql(columnsToAsk({ properties: { place: { type: 'string' } } }));

async function labelsAt(text: string, explicit = false) {
  const state = EditorState.create({ doc: text, extensions: [sqlLanguage] });
  const found = await complete(new CompletionContext(state, text.length, explicit));
  return found && { from: found.from, labels: found.options.map(({ label }) => label) };
}

it('completes columns, functions and words where a name is typed', async () => {
  const found = await labelsAt('select pl');
  expect(found?.from).toBe(7);
  expect(found?.labels).toEqual(expect.arrayContaining(['place', 'createdAt', 'avg', 'select', 'entries']));
  expect(await labelsAt('select ')).toBeNull();
  expect((await labelsAt('select ', true))?.from).toBe(7);
});

it('completes nothing in texts and comments', async () => {
  expect(await labelsAt("select 'pl")).toBeNull();
  expect(await labelsAt('select 1 -- pl')).toBeNull();
});

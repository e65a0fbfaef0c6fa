import { CompletionContext } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { EditorState } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { completeKeyword } from './keywords.ts';

/** What is offered where the text has `|`. */
function offered(text: string): string[] | undefined {
  const pos = text.indexOf('|');
  const state = EditorState.create({ doc: text.replace('|', ''), extensions: [json()] });
  return completeKeyword(new CompletionContext(state, pos, false))?.options.map(({ label }) => label);
}

describe('the completion of keywords', () => {
  it.each([
    ['{ "|" }', 'properties'],
    ['{ "type": "object", "pro|": {} }', 'properties'],
    ['{ "properties": { "a": { "for|" } } }', 'format'],
    ['{ "items": { "|" } }', 'minimum'],
    ['{ "allOf": [{ "|" }] }', 'required'],
    ['{ "type": "ob|" }', 'object'],
    ['{ "type": ["string", "nu|"] }', 'null'],
    ['{ "properties": { "a": { "format": "date|" } } }', 'date-time'],
  ])('in %s offers %s', (text, keyword) => {
    expect(offered(text)).toContain(keyword);
  });

  it.each([
    '{ "properties": { "ty|" } }',
    '{ "$defs": { "ty|": {} } }',
    '{ "title": "ty|" }',
    '{ ty| }',
    '{ "type": "object" }|',
  ])('in %s offers nothing', (text) => {
    expect(offered(text)).toBeUndefined();
  });
});

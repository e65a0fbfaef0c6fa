import { expect, it } from 'vitest';
import { snippets } from './snippets.ts';

const url = 'http://127.0.0.1/data';

it.each(['{"id":9007199254740993}', '{"celsius":1.0}', '{"celsius":-0}'])(
  'each program sends %s digit by digit, as text',
  (payload) => {
    const codes = snippets({ url, payload }).map(({ code }) => code.replaceAll('\\"', '"'));
    expect(codes.filter((code) => !code.includes(payload))).toEqual([]);
    const asValues = codes.filter((code) => /JSON\.stringify|json\.dumps/.test(code));
    expect(asValues).toEqual([]);
  },
);

it('other payloads are written in the language of the program', () => {
  const codes = snippets({ url, payload: '{"ok":true,"celsius":1.5}' }).map(({ code }) => code);
  expect(codes[1]).toContain('JSON.stringify({"ok":true,"celsius":1.5})');
  expect(codes[2]).toContain('json.dumps({"ok":True,"celsius":1.5})');
});

import { expect, it } from 'vitest';
import type { SourceFormat } from '../send/source.ts';
import { linesOf, valueAt } from './file-lines.ts';

/** In pieces of 3 bytes. */
async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 3) yield Buffer.from(bytes.subarray(at, at + 3));
}

async function read(format: SourceFormat, text: string, schema = {}) {
  const lines = [];
  for await (const { line, json } of linesOf({ format, bytes: bytesOf(text) }, schema))
    lines.push([line, json]);
  return lines;
}

const schema = { type: 'object', properties: { id: { type: 'integer' }, at: { properties: { day: {} } } } };

it.each<[SourceFormat, string, unknown[]]>([
  [
    'ndjson',
    '{"a":1}\n\nno JSON\n{"b":"é"}',
    [
      [1, '{"a":1}'],
      [3, undefined],
      [4, '{"b":"é"}'],
    ],
  ],
  [
    'json',
    '[{"a":\n1},{"b":2}]',
    [
      [1, '{"a": 1}'],
      [2, '{"b":2}'],
    ],
  ],
  [
    'csv',
    'id;at.day\n7;"mon\nday"\n8\n',
    [
      [2, '{"id":7,"at":{"day":"mon\\nday"}}'],
      [3, undefined],
    ],
  ],
])('reads the lines of %s as an import does', async (format, text, expected) => {
  expect(await read(format, text, schema)).toEqual(expected);
});

it('says what is wrong with a file', async () => {
  await expect(read('json', '[{"a":1}')).rejects.toThrow('the array has no end');
});

it.each([
  ['{"id": 9007199254740993 }', ['id'], '9007199254740993'],
  ['{"a":{"b/c":"x"}}', ['a', 'b/c'], '"x"'],
  ['{"a":true}', ['a'], 'true'],
  ['{"a":null}', ['a'], undefined],
  ['{"a":[1]}', ['a', '0'], undefined],
  ['{"a":{}}', ['a'], undefined],
  ['{}', ['a'], undefined],
  ['[]', ['a'], undefined],
])('finds the value in %s at %s', (json, path, expected) => {
  expect(valueAt(json, path)).toBe(expected);
});

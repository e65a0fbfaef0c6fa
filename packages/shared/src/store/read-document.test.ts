import fc from 'fast-check';
import { BSON } from 'mongodb';
import { expect, it } from 'vitest';
import { parseJson } from '../payloads/parse-json.ts';
import { createEntryKeys, fromKey } from './entry-id.ts';
import { readDocument } from './read-document.ts';

const _id = createEntryKeys()(Buffer.alloc(12, 7), 1_700_000_000_123);
const read = (payload: object) => readDocument(BSON.serialize({ _id, payload, once: new BSON.Binary() }));

it('has the id and the time of the entry', () => {
  expect(read({})).toEqual({ ...fromKey(_id), payload: {} });
  expect(read({}).createdAt).toEqual(new Date(1_700_000_000_123));
});

it('has the payload as JSON has it', () => {
  const key = fc.constantFrom('a', '$ref', '$id', '$db', 'toJSON', 'constructor', '0', '');
  const payload = fc.dictionary(key, fc.jsonValue(), { noNullPrototype: true });
  fc.assert(
    fc.property(payload, (payload) => {
      expect(read(payload).payload).toEqual(parseJson(JSON.stringify(payload)));
    }),
  );
});

it.each([
  { $ref: 'a', $id: 1 },
  { $ref: 'x', $id: { $ref: 'y', $id: [{ $ref: 'z', $id: false, $db: '' }] }, more: [-0] },
])('keeps the reference-like object %j', (value) => {
  expect(read({ list: [value] }).payload).toEqual(parseJson(JSON.stringify({ list: [value] })));
  expect(read(value).payload).toEqual(parseJson(JSON.stringify(value)));
});

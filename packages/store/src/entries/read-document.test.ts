import { readPayload } from '@sluice/bson/read-payload.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { createKeysAt, fromKey } from './entry-id.ts';
import { readDocument, readPayloadOf } from './read-document.ts';

const _id = createKeysAt()(Buffer.alloc(12, 7), 1_700_000_000_123);
const read = (payload: object) => readDocument(BSON.serialize({ _id, payload, once: new BSON.Binary() }));

it('has the id, the time and the schema version of the entry', () => {
  expect(read({})).toEqual({ ...fromKey(_id), payload: {}, version: 1 });
  expect(readDocument(BSON.serialize({ _id, payload: {}, version: 2 }))).toMatchObject({ version: 2 });
  expect(read({}).createdAt).toEqual(new Date(1_700_000_000_123));
});

it('has the payload as JSON has it, whatever uploads accept', () => {
  const key = fc.constantFrom('a', '$ref', '$id', '$db', 'toJSON', 'constructor', '0', '');
  const value = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom('', '.', 'a.b', 'a.b.c', null, false, -0, 0.5),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(key, tie('any'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const texts = fc
    .dictionary(key, value.any, { maxKeys: 4, noNullPrototype: true })
    .map((payload) => JSON.stringify(payload));
  const accepted = texts.filter((text) => readPayload(Buffer.from(text)).ok);
  fc.assert(
    fc.property(accepted, (text) => {
      expect(read(parseJson(text) as object).payload).toEqual(parseJson(text));
    }),
    runs(300),
  );
});

it.each([
  { $ref: 'a', $id: 1 },
  { $ref: 'x', $id: { $ref: 'y', $id: [{ $ref: 'z', $id: false, $db: '' }] }, more: [-0] },
])('keeps the reference-like object %j', (value) => {
  expect(read({ list: [value] }).payload).toEqual(parseJson(JSON.stringify({ list: [value] })));
  expect(read(value).payload).toEqual(parseJson(JSON.stringify(value)));
});

it('has the payload as validation has it', () => {
  const document = (payload: object) => BSON.serialize({ _id, payload });
  const payload = { small: 7, safe: 2 ** 53 - 1, large: 2n ** 53n + 1n, list: [-(2n ** 63n)] };
  expect(readPayloadOf(document(payload))).toEqual(payload);
  expect(readPayloadOf(document({ n: 7n, r: { $ref: 'a', $id: 'b' } }))).toEqual({
    n: 7,
    r: { $ref: 'a', $id: 'b' },
  });
});

import { toJson } from '@sluice/json/numbers.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { expect, it } from 'vitest';
import { anyJson } from '../../../test/support/any-json.ts';
import { canonical } from '../../../test/support/json-oracle.ts';
import { runs } from '../../../test/support/runs.ts';
import { readPayload } from './read-payload.ts';

const deep = fc
  .tuple(anyJson, fc.oneof(fc.constant(0), fc.integer({ min: 55, max: 70 })))
  .map(([inner, levels]) => '[{"in":'.repeat(levels / 2) + inner + '}]'.repeat(levels / 2));

const writtenByDriver = (json: string): string =>
  JSON.stringify(BSON.deserialize(BSON.serialize({ payload: parseJson(json) })).payload);

function survives(body: string): boolean {
  try {
    return canonical(writtenByDriver(body)) === canonical(body);
  } catch {
    return false;
  }
}

// Refused as a precaution, whether or not this very value would survive.
const precautions = ['reservedKey', 'reference', 'maxNesting'];

it('keeps a payload exactly or refuses it, and refuses only what would change', () => {
  fc.assert(
    fc.property(deep, (inner) => {
      const body = `{"payload":${inner}}`;
      const reading = readPayload(Buffer.from(body));
      if (reading.ok) {
        expect(canonical(toJson(reading.payload))).toBe(canonical(body));
        const stored = BSON.deserialize(reading.bson as Buffer, { useBigInt64: true });
        expect(canonical(toJson(stored))).toBe(canonical(body));
      } else if (reading.kind !== 'inexact') expect(reading.message).toContain('__proto__');
      else if (!reading.issues.some(({ keyword }) => precautions.includes(keyword)))
        expect(survives(body)).toBe(false);
    }),
    runs(300),
  );
});

it.each([
  { $ref: 'a', $id: 1 },
  { $ref: 'x', $id: { a: 1 }, $db: 'y', extra: [1] },
  { $ref: 'x', $id: null },
  { $ref: 'x', $id: { $ref: 'y', $id: [{ $ref: 'z', $id: false, $db: '' }] } },
  { $ref: 'a.b.c', $id: 1, fields: 1, oid: 2, collection: 3, toJSON: 4 },
])('keeps the reference-like object %j', (payload) => {
  const body = JSON.stringify({ payload, list: [payload] });
  expect(readPayload(Buffer.from(body)).ok).toBe(true);
  expect(survives(body)).toBe(true);
});

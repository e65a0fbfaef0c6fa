import { toPointer } from '@sluice/json/pointer.ts';
import {
  largeNumbers,
  maxFieldCharacters,
  maxFieldLength,
  maxFields,
} from '@sluice/store/applications/fields.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eachField } from '../../../test/support/each-field.ts';
import { runs } from '../../../test/support/runs.ts';
import { addFields, createFieldSet, noFields, tooLong } from './field-set.ts';

type Payload = Record<string, unknown>;

const key = fc.oneof(
  fc.constantFrom('a', 'b', '~', '/', 'a/b', '', '0', 'constructor'),
  fc.string({ maxLength: 4 }),
);
const { payload } = fc.letrec<{ payload: Payload; value: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.constantFrom(1, 'x', null, [], {}, [{}]), tie('payload')),
  payload: fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
}));

function pointersOf(payload: Payload): string[] {
  const found: string[] = [];
  eachField(payload, (path) => found.push(toPointer(path)));
  return found;
}

describe('the fields of a payload', () => {
  it('are found but for those that are known', () => {
    fc.assert(
      fc.property(payload, fc.array(payload, { maxLength: 3 }), (payload, before) => {
        const fields = createFieldSet();
        const known = new Set(before.flatMap(pointersOf));
        fields.add(known);
        const unknown = pointersOf(payload).filter((pointer) => !known.has(pointer));
        expect(fields.unknown(payload)).toEqual(unknown);
        for (const pointer of pointersOf(payload)) expect(fields.has(pointer)).toBe(known.has(pointer));
      }),
      runs(),
    );
  });

  it.each([
    ['as long as may be', 'x'.repeat(maxFieldLength - 3), false],
    ['too long', 'x'.repeat(maxFieldLength - 2), true],
    ['too long as pointers', '~'.repeat(maxFieldLength / 2), true],
  ])('stand for themselves where they are not too long: %s', (_what, key, isTooLong) => {
    const pointer = toPointer([key, 'a']);
    expect(createFieldSet().unknown({ [key]: { a: 1 }, b: 2 })).toEqual(
      isTooLong ? ['/b', tooLong] : [pointer, '/b'],
    );
  });

  it('are known where the schema has them, however long', () => {
    const key = 'x'.repeat(2 * maxFieldLength);
    const fields = createFieldSet();
    fields.add([`/${key}/a`]);
    expect(fields.unknown({ [key]: { a: 1 } })).toEqual([]);
    expect(fields.unknown({ [key]: { b: 1 } })).toEqual([tooLong]);
  });

  it('take no more characters than can be on record, and those of one more', () => {
    const inner = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [i.toString(36), 1]));
    const of = (length: number) => createFieldSet().unknown({ ['k'.repeat(length)]: inner });
    expect(of(110_000)).toEqual([tooLong]);
    const characters = of(1_000).join('').length;
    expect(characters).toBeGreaterThan(maxFieldCharacters);
    expect(characters).toBeLessThanOrEqual(maxFieldCharacters + maxFieldLength);
  });
});

it('of many payloads are no more together than can be on record, and one more', () => {
  const all = noFields();
  for (let n = 0; n < 100; n++)
    addFields(
      all,
      Array.from({ length: 100 }, (_, i) => `/${n}/${i}`),
    );
  expect(all.pointers.size).toBe(maxFields + 1);
  const long = noFields();
  for (let n = 0; n < 1_000; n++) addFields(long, [`/${String(n).padStart(maxFieldLength - 1)}`]);
  expect(long.characters).toBeLessThanOrEqual(maxFieldCharacters + maxFieldLength);
  expect(long.characters).toBeGreaterThan(maxFieldCharacters);
});

describe('numbers beyond 2^53', () => {
  it.each<[Payload, boolean]>([
    [{ a: 2 ** 53 }, true],
    [{ a: -(2 ** 53) }, true],
    [{ a: 2 ** 53 - 1, b: [1 - 2 ** 53, 0.5], c: '9007199254740993' }, false],
    [{ b: { c: 1e19 } }, true],
    [{ b: [[1, { c: 1e300 }]] }, true],
    [{ b: [null, {}, [], 'x'] }, false],
    [{ b: 2n ** 62n }, true],
    [{ b: [1, 2n ** 62n] }, true],
  ])('are told of %o, until they are on record', (payload, isThere) => {
    const fields = createFieldSet();
    fields.add(pointersOf(payload));
    expect(fields.unknown(payload)).toEqual(isThere ? [largeNumbers] : []);
    fields.add([largeNumbers]);
    expect(fields.has(largeNumbers)).toBe(true);
    expect(fields.unknown(payload)).toEqual([]);
  });
});

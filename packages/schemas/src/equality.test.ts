import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { runs } from '../../../test/support/runs.ts';
import { equal, findDuplicate } from './equality.ts';
import { codePoints } from './judge/scalar-checks.ts';

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));

describe('equality of JSON values', () => {
  it('is that of deep comparison', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(equal(a, b)).toBe(isDeepStrictEqual(a, b));
      }),
      runs(),
    );
    fc.assert(
      fc.property(json, (a) => {
        expect(equal(a, structuredClone(a))).toBe(true);
      }),
      runs(),
    );
  });

  it('finds equal items wherever they are, and no others', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(json, fc.constantFrom(1, '1', true, 'true', null, 'null', [], {}, '[]', '__proto__')),
        ),
        (items) => {
          const some = items.some((a, i) => items.some((b, j) => i < j && isDeepStrictEqual(a, b)));
          const found = findDuplicate(items);
          expect(found !== undefined).toBe(some);
          if (found) expect(isDeepStrictEqual(items[found.i], items[found.j])).toBe(true);
        },
      ),
      runs(),
    );
  });

  it('does not depend on the order of keys', () => {
    expect(equal({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
    expect(findDuplicate([{ a: 1, b: [2] }, 0, { b: [2], a: 1 }])).toEqual({ i: 0, j: 2 });
  });

  it('counts characters as code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(codePoints(text)).toBe([...text].length);
      }),
      runs(),
    );
    expect(codePoints('\ud83d\ud83d\udca9\udca9')).toBe(3);
  });
});

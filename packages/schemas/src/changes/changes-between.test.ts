import { toJson } from '@sluice/json/numbers.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyPayload, anySchema } from '../../../../test/drafts/any-schema.ts';
import { runs } from '../../../../test/support/runs.ts';
import { checkSchema } from '../check/check.ts';
import { checkAndLink } from '../check/check-and-link.ts';
import { type Draft, drafts } from '../draft.ts';
import { judgeFully } from '../judge/judge.ts';
import { rulesOf } from '../judge/rules-of.ts';
import type { Schema } from '../schema.ts';
import { isObject } from '../schema.ts';
import { changesBetween } from './changes-between.ts';

const told = (before: object, after: object) =>
  changesBetween({ type: 'object', ...before }, { type: 'object', ...after }).map(
    ({ path, kind, message }) => `${kind} ${path}: ${message}`,
  );

const v = (before: object | boolean, after: object | boolean) =>
  told({ properties: { v: before } }, { properties: { v: after } });

describe('the changes between two schemas', () => {
  it.each<[before: object | boolean, after: object | boolean, changes: string[]]>([
    [{}, { maximum: 60 }, ['stricter /v: maximum 60 is new']],
    [{ maximum: 100 }, { maximum: 60 }, ['stricter /v: maximum was 100, is 60']],
    [{ minimum: 5 }, { minimum: 1 }, ['looser /v: minimum was 5, is 1']],
    [{ maximum: 5 }, { exclusiveMaximum: 5 }, ['stricter /v: maximum was 5, is exclusiveMaximum 5']],
    [{ minLength: 2 }, {}, ['looser /v: minLength 2 is gone']],
    [{ type: 'number' }, { type: 'integer' }, ['stricter /v: type was number, is integer']],
    [{ type: 'string' }, { type: ['null', 'string'] }, ['looser /v: type was string, is null or string']],
    [{ type: 'string' }, { type: 'number' }, ['changed /v: type was string, is number']],
    [{ type: 'string' }, {}, ['looser /v: type string is gone']],
    [{}, { format: 'date-time' }, ['stricter /v: format date-time is new']],
    [{ pattern: '^a' }, { pattern: '^b' }, ['changed /v: pattern was "^a", is "^b"']],
    [
      { enum: ['x', 'y'] },
      { enum: ['y', { a: 1 }] },
      ['stricter /v: enum: "x" is gone', 'looser /v: enum: {"a":1} is new'],
    ],
    [{ const: 'x' }, { enum: ['x', null] }, ['looser /v: enum: null is new']],
    [{}, { uniqueItems: true }, ['stricter /v: uniqueItems is new']],
    [true, false, ['stricter /v: refused now']],
    [false, { type: 'string' }, ['looser /v: not refused any more']],
    [
      { required: ['a'] },
      { required: ['b'] },
      ['stricter /v/b: is required now', 'looser /v/a: is not required any more'],
    ],
    [{}, { properties: { 'a/b': {} } }, ['added /v/a~1b: property is new']],
    [
      { properties: { a: {} } },
      {},
      ['removed /v/a: property is gone (still accepted as an additional property)'],
    ],
    [
      { properties: { a: {} }, additionalProperties: false },
      { additionalProperties: false },
      ['removed /v/a: property is gone (refused from now on)'],
    ],
    [{}, { additionalProperties: false }, ['stricter /v: other properties: refused now']],
    [
      { patternProperties: { '^a': { maximum: 1 } } },
      { patternProperties: { '^a': { maximum: 2 } } },
      ['looser /v: properties matching ^a: maximum was 1, is 2'],
    ],
    [{ patternProperties: { '^a': {} } }, {}, ['changed /v: patternProperties ^a is gone']],
    [
      { items: { properties: { c: {} } } },
      { items: { properties: { c: { maximum: 60 } } } },
      ['stricter /v: elements /c: maximum 60 is new'],
    ],
    [
      { prefixItems: [{}, {}] },
      { prefixItems: [{}, { type: 'null' }], items: false },
      ['stricter /v/1: type null is new', 'stricter /v: elements from 2 on: refused now'],
    ],
    [{ anyOf: [{ minimum: 1 }] }, { anyOf: [{ minimum: 2 }] }, ['changed /v: anyOf is different']],
    [{}, { not: { const: 1 } }, ['stricter /v: not is new']],
    [
      { contains: {}, minContains: 1 },
      { contains: {}, minContains: 2 },
      ['changed /v: contains is different'],
    ],
    [{ allOf: [{ maximum: 1 }, { maximum: 2 }] }, { maximum: 1 }, []],
    [{ title: 'a', default: 1, 'x-unit': 'K' }, { description: 'b', examples: [1] }, []],
    [{ enum: [1, 2] }, { enum: [2, 1.0] }, []],
  ])('%j, %j', (before, after, changes) => {
    expect(v(before, after)).toEqual(changes);
  });

  it('compare integers exactly', () => {
    expect(v({ maximum: 9007199254740993n }, { maximum: 9007199254740992n })).toEqual([
      'stricter /v: maximum was 9007199254740993, is 9007199254740992',
    ]);
  });

  it('follow references, whatever they are called', () => {
    const at = (name: string, maximum: number) => ({
      $defs: { [name]: { maximum } },
      properties: { v: { $ref: `#/$defs/${name}` }, w: { anyOf: [{ $ref: `#/$defs/${name}` }] } },
    });
    expect(told(at('a', 1), at('b', 1))).toEqual([]);
    expect(told(at('a', 1), at('a', 2))).toEqual([
      'looser /v: maximum was 1, is 2',
      'changed /w: anyOf is different',
    ]);
  });

  it('end where a schema contains itself', () => {
    const list = (maximum: number) => ({ properties: { value: { maximum }, next: { $ref: '#' } } });
    expect(told(list(1), list(2))).toEqual(['looser /value: maximum was 1, is 2']);
  });

  it('tell a reference to a meta-schema', () => {
    expect(v({}, { $ref: 'https://json-schema.org/draft/2020-12/schema' })).toEqual([
      'stricter /v: $ref is new',
    ]);
  });

  it('say that the draft is another', () => {
    const $schema = 'http://json-schema.org/draft-04/schema#';
    const before = { $schema, properties: { v: { maximum: 5, exclusiveMaximum: true } } };
    expect(told(before, { properties: { v: { exclusiveMaximum: 5 } } })).toEqual([
      'changed : the draft of JSON Schema was 04, is 2020-12',
    ]);
  });

  it('end where they are too many, also where references repeat them', () => {
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, {}]));
    const changes = told({}, { properties: wide });
    expect(changes).toHaveLength(201);
    expect(changes.at(-1)).toBe('changed : there are more changes than can be listed');

    const doubling = (maximum: number) => ({
      $defs: {
        ...Object.fromEntries(
          Array.from({ length: 30 }, (_, i) => {
            const next = { $ref: `#/$defs/d${i + 1}` };
            return [`d${i}`, { properties: { a: next, b: next } }];
          }),
        ),
        d30: { maximum },
      },
      $ref: '#/$defs/d0',
    });
    const given = told(doubling(1), doubling(2));
    expect(given).toHaveLength(201);
    expect(told(doubling(1), { ...doubling(1), minProperties: 1 })).toEqual([
      'stricter : minProperties 1 is new',
    ]);
  });
});

/** A schema, and one that differs from it in a few keywords. */
function anyPair(draft: Draft): fc.Arbitrary<[Schema, Schema]> {
  const edit = fc.record({ from: fc.nat(), to: fc.nat(), keyword: fc.nat(), isRemoval: fc.boolean() });
  return fc
    .tuple(anySchema(draft), anySchema(draft), fc.array(edit, { minLength: 1, maxLength: 3 }))
    .map(([before, other, edits]) => {
      const after = structuredClone(before);
      for (const { from, to, keyword, isRemoval } of edits) {
        const target = pick(objectsIn(after), to);
        const source = isRemoval ? target : pick(objectsIn(other), from);
        const name = pick(Object.keys(source), keyword);
        if (name === undefined || name === '$schema' || target.$schema) continue;
        if (isRemoval) delete target[name];
        else target[name] = structuredClone(source[name]);
      }
      return [before, after];
    });
}

const pick = <Item>(list: Item[], at: number): Item => list[at % list.length] as Item;

function objectsIn(value: unknown): Schema[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(isObject(value) ? [value] : []), ...Object.values(value).flatMap(objectsIn)];
}

/** Undefined for a schema that is refused. */
function judgeOf(schema: Schema) {
  try {
    const rules = rulesOf(checkAndLink(checkSchema(toJson(schema))));
    return (payload: unknown) => judgeFully(rules, payload);
  } catch {
    return undefined;
  }
}

it.each(drafts)(
  'a payload is refused or accepted anew only where the changes say so, by draft %s',
  (draft) => {
    let compared = 0;
    fc.assert(
      fc.property(
        anyPair(draft),
        fc.array(anyPayload, { minLength: 20, maxLength: 20 }),
        ([before, after], payloads) => {
          const [was, is] = [judgeOf(before), judgeOf(after)];
          if (!was || !is) return;
          const changes = changesBetween(before, after);
          const only = (kind: string) => changes.every((change) => change.kind === kind);
          for (const payload of payloads) {
            const [old, now] = [was(payload), is(payload)];
            if ([old, now].includes('too many steps')) continue;
            const found = { changes, payload, old: old === 'conforms', now: now === 'conforms' };
            if (only('looser') && found.old) expect(found).toEqual({ ...found, now: true });
            if (only('stricter') && found.now) expect(found).toEqual({ ...found, old: true });
            if (changes.length === 0) expect(found.now).toBe(found.old);
            if (found.old && (only('looser') || only('stricter'))) compared += 1;
          }
        },
      ),
      runs(60, 120),
    );
    expect(compared).toBeGreaterThan(0);
  },
);

import { readPayload } from '@sluice/bson/read-payload.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { canonicalJson } from './canonical-json.ts';
import { parseJson } from './parse-json.ts';

const canonical = (text: string) => canonicalJson(Buffer.from(text));

describe('the canonical text of JSON', () => {
  it.each([
    ['{"a":1,"b":[true,null]}', ' {\n"b" : [ true,null ],"a":1 }'],
    ['{"n":100,"m":0.5,"z":0}', '{"n":1E2,"m":5e-1,"z":-0.0}'],
    ['{"a":"Z\u00fcrich/"}', '{"\\u0061":"Z\\u00fcrich\\/"}'],
    ['{"n":9223372036854775807}', '\uFEFF{"n":9223372036854775807.0}'],
    ['{"toString":{"constructor":1}}', '{"toString":{"constructor":1.0}}'],
  ])('is the same for %s and %s', (first, second) => {
    expect(canonical(first)).toBeDefined();
    expect(canonical(second)).toBe(canonical(first));
  });

  it.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":"n1"}', '{"a":"s1"}'],
    ['{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['{"a":18446744073709551615}', '{"a":18446744073709551616}'],
    ['{"a":0.1}', '{"a":0.10000000000000000000001}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":{}}', '{"a":[]}'],
  ])('differs for %s and %s', (first, second) => {
    expect(canonical(first)).toBeDefined();
    expect(canonical(second)).not.toBe(canonical(first));
  });

  it.each([
    ['no JSON', '{"a":'],
    ['a repeated key', '{"a":1,"a":1}'],
    ['a repeated key behind many faults', `{"n":[${Array(120).fill('1e400')}],"a":1,"a":2}`],
    ['a forbidden key', '{"__proto__":1}'],
    ['too many levels', `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
  ])('is undefined for %s', (_what, text) => {
    expect(canonical(text)).toBeUndefined();
  });

  it('is undefined for what is not UTF-8', () => {
    expect(canonicalJson(Buffer.from([0x22, 0xff, 0x22]))).toBeUndefined();
  });

  it('has the value of the text', () => {
    fc.assert(
      fc.property(
        fc.object({ values: [fc.double(), fc.string(), fc.boolean(), fc.constant(null)] }),
        (value) => {
          const json = Buffer.from(JSON.stringify(value));
          const text = canonicalJson(json);
          if (readPayload(json).ok) expect(parseJson(text as string)).toEqual(parseJson(json.toString()));
        },
      ),
      runs(),
    );
  });
});

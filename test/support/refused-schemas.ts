import { metaSchemaUris } from '@sluice/schemas/draft.ts';

const schema = (rest: object = {}) => JSON.stringify({ type: 'object', ...rest });
const v = (value: unknown) => schema({ properties: { v: value } });
const at = /, at \/properties\/v\//;
const many = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
/** Two references to the next, again and again: 2^depth ways, each through anchors of its own. */
const expanding = schema({
  $id: 'https://x.test/0',
  $ref: 'a0',
  $defs: Object.fromEntries(
    many(18, (i) => [
      `a${i}`,
      {
        $id: `a${i}`,
        anyOf: many(2, (k) => ({ $ref: `b${i}${k}` })),
        $defs: Object.fromEntries(
          many(2, (k) => [
            `${k}`,
            {
              $id: `b${i}${k}`,
              $dynamicAnchor: `n${i}${k}`,
              ...(i < 17 ? { $ref: `a${i + 1}` } : { $dynamicRef: `#n${i}${k}` }),
            },
          ]),
        ),
      },
    ]),
  ),
});

/** By the first cell of the row in docs/schemas.md: a schema of that kind, and what the refusal says. */
// biome-ignore format: a table, a row a line
export const refusedSchemas: [documented: string, what: string, schema: string, message: RegExp][] = [
  ['no JSON object with', 'half a schema', '{"type":"object",', /not JSON/],
  ['no JSON object with', 'an array', '[]', /must be a JSON object/],
  ['no JSON object with', 'no type', '{}', /root of the schema must have "type": "object"/],
  ['not valid by its draft', 'an unknown type', v({ type: 'strin' }), /`strin` is not a type, at \/properties\/v\/type/],
  ['not valid by its draft', 'a limit that is a text', v({ minimum: '1' }), /not a valid JSON Schema at \/properties\/v\/minimum/],
  ['not valid by its draft', 'such a limit where a reference leads', schema({ x: { y: { minimum: '1' } }, not: { $ref: '#/x/y' } }), /a reference leads to what is not a valid JSON Schema/],
  ['numbers that are neither', 'a large number', '{"type":"object","maxProperties":9223372036854775808}', /at \/maxProperties/],
  ['numbers that are neither', 'a key twice', '{"type":"object","not":{"type":"string","type":"number"}}', /at \/not/],
  ['drafts other than', 'draft 03', schema({ $schema: 'http://json-schema.org/draft-03/schema#' }), /names no draft that Sluice knows, at \/\$schema/],
  ['drafts other than', 'a meta-schema of their own', schema({ $schema: 'https://x.test/meta' }), /names no draft that Sluice knows, at \/\$schema/],
  ['drafts other than', 'a part of another draft', v({ $schema: metaSchemaUris['07'] }), at],
  ['drafts other than', 'the meta-schema of another draft', v({ $ref: metaSchemaUris['07'] }), at],
  ['over 256 KiB', 'a large schema', schema({ title: 'x'.repeat(300_000) }), /has 3000\d\d bytes; at most 262144/],
  ['over 256 KiB', 'a deep schema', `{"type":"object","not":${'{"not":'.repeat(70)}{}${'}'.repeat(70)}}`, /deeper than 64 levels at \/not\/not/],
  ['over 256 KiB', 'many values', schema({ enum: many(25_001, () => 1) }), /more than 25000 values/],
  ['over 2 s', 'references that expand', expanding, /expand to more than 50000 schemas|takes too long/],
  ['`$async`', '$async', v({ $async: true }), at],
  ['`$async`', '$data', v({ maximum: { $data: '1/w' } }), at],
  ['references to other documents', 'the web', v({ $ref: 'https://example.com/a' }), at],
  ['references to other documents', 'a file', v({ $ref: 'file:///etc/passwd' }), at],
  ['references to other documents', 'nothing', v({ $ref: '#/$defs/none' }), at],
  ['two parts with the same identifier', 'two with an $id', v({ anyOf: [{ $id: 'x', type: 'string' }, { $id: 'x' }] }), at],
  ['two parts with the same identifier', 'two with an anchor', v({ anyOf: [{ $anchor: 'x', type: 'string' }, { $anchor: 'x' }] }), at],
  ['identifiers and references over', 'a long $id', v({ $id: 'x'.repeat(1_025) }), at],
  ['lookahead', 'a lookahead', v({ pattern: '^(?!a)' }), at],
  ['lookahead', 'a lookbehind', v({ pattern: '(?<=a)b' }), at],
  ['lookahead', 'a backreference', v({ pattern: '(a)\\1' }), at],
  ['flags except', 'a flag', v({ pattern: '(?s:.)' }), at],
  ['flags except', 'an unknown escape', v({ pattern: '\\y' }), at],
  ['flags except', 'an unknown property', v({ pattern: '\\p{Nonsense}' }), at],
  ['flags except', 'a property of texts', schema({ patternProperties: { '\\p{RGI_Emoji}': {} } }), /several characters at once .*, at \/patternProperties/],
  ['repetitions over', 'many repetitions', v({ pattern: 'a{1001}' }), at],
  ['repetitions over', 'a long pattern', v({ pattern: 'a'.repeat(4_097) }), at],
  ['repetitions over', 'a pattern large when compiled', v({ pattern: '(?:a{99}){99}' }), /the pattern "\(\?:a/],
  ['repetitions over', 'patterns large together', v({ anyOf: many(60, (i) => ({ pattern: `${i}[ab]{900}` })) }), /patterns of the schema are too large together/],
  ['an empty `enum`', 'an empty enum', v({ enum: [] }), at],
  ['the key `__proto__`', '__proto__', '{"type":"object","properties":{"__proto__":{}}}', /at \/properties\/__proto__/],
];

import { toJson } from '@sluice/json/numbers.ts';
import { expect, it } from 'vitest';
import { checkSchema } from '../check/check.ts';
import { link } from '../check/link.ts';
import { limits } from '../limits.ts';
import { createExplain } from './create-explain.ts';

function explain(raw: string, payload: string) {
  const { schema, draft, walk } = checkSchema(
    raw.replace('{', raw === '{}' ? '{"type":"object"' : '{"type":"object",'),
  );
  return createExplain({ linked: toJson(link(schema, draft, walk)), draft }).explain(Buffer.from(payload));
}

type Case = [what: string, schema: string, payload: string, told: string[]];

/** All that people read: path, keyword, property if there is one, message. */
const refusals: Case[] = [
  ['type', '{"properties":{"v":{"type":"number"}}}', '{"v":"x"}', ['/v | type | must be number']],
  [
    'types',
    '{"properties":{"v":{"type":["string","null"]}}}',
    '{"v":1}',
    ['/v | type | must be string,null'],
  ],
  ['integer', '{"properties":{"v":{"type":"integer"}}}', '{"v":1.5}', ['/v | type | must be integer']],
  ['a root that is no object', '{}', '[1]', [' | type | must be object']],
  ['false', '{"properties":{"v":false}}', '{"v":1}', ['/v | false schema | must not be present']],
  [
    'enum',
    '{"properties":{"v":{"enum":["a",1,null,{"b":2}]}}}',
    '{"v":2}',
    ['/v | enum | must be one of "a", 1, null, {"b":2}'],
  ],
  ['const', '{"properties":{"v":{"const":{"a":[1]}}}}', '{"v":2}', ['/v | const | must be {"a":[1]}']],
  ['minimum', '{"properties":{"v":{"minimum":5}}}', '{"v":4}', ['/v | minimum | must be >= 5']],
  ['maximum', '{"properties":{"v":{"maximum":5.5}}}', '{"v":6}', ['/v | maximum | must be <= 5.5']],
  [
    'exclusiveMinimum',
    '{"properties":{"v":{"exclusiveMinimum":5}}}',
    '{"v":5}',
    ['/v | exclusiveMinimum | must be > 5'],
  ],
  [
    'exclusiveMaximum',
    '{"properties":{"v":{"exclusiveMaximum":5}}}',
    '{"v":5}',
    ['/v | exclusiveMaximum | must be < 5'],
  ],
  [
    'multipleOf',
    '{"properties":{"v":{"multipleOf":3}}}',
    '{"v":4}',
    ['/v | multipleOf | must be multiple of 3'],
  ],
  [
    'multipleOf, a fraction',
    '{"properties":{"v":{"multipleOf":0.01}}}',
    '{"v":19.995}',
    ['/v | multipleOf | must be multiple of 0.01'],
  ],
  [
    'multipleOf that holds, beside a fault',
    '{"properties":{"v":{"multipleOf":0.01},"w":{"type":"null"}}}',
    '{"v":19.99,"w":1}',
    ['/w | type | must be null'],
  ],
  [
    'multipleOf in anyOf that holds, beside a fault',
    '{"properties":{"v":{"anyOf":[{"multipleOf":0.01},{"type":"string"}]},"w":{"type":"null"}}}',
    '{"v":19.99,"w":1}',
    ['/w | type | must be null'],
  ],
  [
    'minLength',
    '{"properties":{"v":{"minLength":3}}}',
    '{"v":"🦊🦊"}',
    ['/v | minLength | must NOT have fewer than 3 characters'],
  ],
  [
    'maxLength',
    '{"properties":{"v":{"maxLength":3}}}',
    '{"v":"abcd"}',
    ['/v | maxLength | must NOT have more than 3 characters'],
  ],
  [
    'pattern',
    '{"properties":{"v":{"pattern":"^[a-z]+$"}}}',
    '{"v":"A"}',
    ['/v | pattern | must match pattern "^[a-z]+$"'],
  ],
  [
    'format',
    '{"properties":{"v":{"format":"date-time"}}}',
    '{"v":"now"}',
    ['/v | format | must match format "date-time"'],
  ],
  [
    'format of numbers',
    '{"properties":{"v":{"type":"integer","format":"int32"}}}',
    '{"v":3000000000}',
    ['/v | format | must match format "int32"'],
  ],
  [
    'minItems',
    '{"properties":{"v":{"minItems":2}}}',
    '{"v":[1]}',
    ['/v | minItems | must NOT have fewer than 2 items'],
  ],
  [
    'maxItems',
    '{"properties":{"v":{"maxItems":1}}}',
    '{"v":[1,2]}',
    ['/v | maxItems | must NOT have more than 1 items'],
  ],
  [
    'uniqueItems',
    '{"properties":{"v":{"uniqueItems":true}}}',
    '{"v":[1,2,1]}',
    ['/v | uniqueItems | must not have equal items (0 and 2 are)'],
  ],
  [
    'uniqueItems, two pairs',
    '{"properties":{"v":{"uniqueItems":true}}}',
    '{"v":[1,1,2,2]}',
    ['/v | uniqueItems | must not have equal items (0 and 1 are)'],
  ],
  [
    'uniqueItems of objects',
    '{"properties":{"v":{"uniqueItems":true}}}',
    '{"v":[{"a":1,"b":2},1,{"b":2,"a":1}]}',
    ['/v | uniqueItems | must not have equal items (0 and 2 are)'],
  ],
  [
    'uniqueItems of texts',
    '{"properties":{"v":{"items":{"type":"string"},"uniqueItems":true}}}',
    '{"v":["a","b","b","a"]}',
    ['/v | uniqueItems | must not have equal items (1 and 2 are)'],
  ],
  [
    'uniqueItems and items',
    '{"properties":{"v":{"items":{"type":"integer"},"uniqueItems":true}}}',
    '{"v":[1,"x",1]}',
    ['/v/1 | type | must be integer', '/v | uniqueItems | must not have equal items (0 and 2 are)'],
  ],
  [
    'uniqueItems of __proto__',
    '{"properties":{"v":{"items":{"type":"string"},"uniqueItems":true}}}',
    '{"v":["__proto__","__proto__"]}',
    ['/v | uniqueItems | does not conform to uniqueItems of the schema'],
  ],
  [
    'items',
    '{"properties":{"v":{"items":{"type":"integer","minimum":0}}}}',
    '{"v":[1,-1,"x"]}',
    ['/v/1 | minimum | must be >= 0', '/v/2 | type | must be integer'],
  ],
  [
    'items, nested',
    '{"properties":{"v":{"items":{"items":{"type":"integer"}}}}}',
    '{"v":[[1],[2,"x"],"y"]}',
    ['/v/1/1 | type | must be integer'],
  ],
  [
    'prefixItems',
    '{"properties":{"v":{"prefixItems":[{"type":"string"},{"type":"integer"}]}}}',
    '{"v":[1,"x"]}',
    ['/v/0 | type | must be string', '/v/1 | type | must be integer'],
  ],
  [
    'items: false after prefixItems',
    '{"properties":{"v":{"prefixItems":[{}],"items":false}}}',
    '{"v":[1,2,3]}',
    ['/v | items | must NOT have more than 1 items'],
  ],
  [
    'contains',
    '{"properties":{"v":{"contains":{"type":"string"}}}}',
    '{"v":[1,2]}',
    [
      '/v/0 | type | must be string',
      '/v/1 | type | must be string',
      '/v | contains | must contain at least 1 valid item(s)',
    ],
  ],
  [
    'contains of none',
    '{"properties":{"v":{"contains":{"type":"string"}}}}',
    '{"v":[]}',
    ['/v | contains | must contain at least 1 valid item(s)'],
  ],
  [
    'minContains',
    '{"properties":{"v":{"contains":{"type":"string"},"minContains":2}}}',
    '{"v":["a",1]}',
    ['/v/1 | type | must be string', '/v | contains | must contain at least 2 valid item(s)'],
  ],
  [
    'maxContains',
    '{"properties":{"v":{"contains":{"type":"string"},"maxContains":1}}}',
    '{"v":["a","b"]}',
    ['/v | contains | must contain at least 1 and no more than 1 valid item(s)'],
  ],
  [
    'minContains and maxContains',
    '{"properties":{"v":{"contains":{"type":"string"},"minContains":2,"maxContains":3}}}',
    '{"v":["a"]}',
    ['/v | contains | must contain at least 2 and no more than 3 valid item(s)'],
  ],
  [
    'required',
    '{"required":["a","b"]}',
    '{"c":1}',
    [" | required | a | must have the property 'a'", " | required | b | must have the property 'b'"],
  ],
  [
    'required names of every object',
    '{"required":["toString",""]}',
    '{}',
    [
      " | required | toString | must have the property 'toString'",
      " | required |  | must have the property ''",
    ],
  ],
  [
    'properties, nested',
    '{"properties":{"a":{"type":"object","required":["b"],"properties":{"c/d~e":{"type":"null"}}}}}',
    '{"a":{"c/d~e":1}}',
    ["/a | required | b | must have the property 'b'", '/a/c~1d~0e | type | must be null'],
  ],
  [
    'additionalProperties: false',
    '{"properties":{"a":{}},"additionalProperties":false}',
    '{"a":1,"b":1,"c":1}',
    [
      " | additionalProperties | b | must not have the property 'b'",
      " | additionalProperties | c | must not have the property 'c'",
    ],
  ],
  [
    'additionalProperties',
    '{"additionalProperties":{"type":"string"}}',
    '{"b":1}',
    ['/b | type | must be string'],
  ],
  [
    'patternProperties',
    '{"patternProperties":{"^n_":{"type":"number"}},"additionalProperties":false}',
    '{"n_a":"x","m":1}',
    [" | additionalProperties | m | must not have the property 'm'", '/n_a | type | must be number'],
  ],
  [
    'propertyNames',
    '{"propertyNames":{"maxLength":2,"pattern":"^a"}}',
    '{"abc":1,"b":1}',
    [
      " | maxLength | abc | property name 'abc' must NOT have more than 2 characters",
      " | propertyNames | abc | must not have a property named 'abc'",
      ' | pattern | b | property name \'b\' must match pattern "^a"',
      " | propertyNames | b | must not have a property named 'b'",
    ],
  ],
  [
    'propertyNames: enum',
    '{"propertyNames":{"enum":["a","b"]}}',
    '{"c":1}',
    [' | enum | c | must be one of "a", "b"', " | propertyNames | c | must not have a property named 'c'"],
  ],
  [
    'minProperties',
    '{"minProperties":2}',
    '{"a":1}',
    [' | minProperties | must NOT have fewer than 2 properties'],
  ],
  [
    'maxProperties',
    '{"maxProperties":1}',
    '{"a":1,"b":1}',
    [' | maxProperties | must NOT have more than 1 properties'],
  ],
  [
    'dependentRequired',
    '{"dependentRequired":{"a":["b","c"]}}',
    '{"a":1}',
    [
      " | dependentRequired | b | must have the property 'b', as it has 'a'",
      " | dependentRequired | c | must have the property 'c', as it has 'a'",
    ],
  ],
  [
    'dependentSchemas',
    '{"dependentSchemas":{"a":{"required":["b"],"properties":{"a":{"type":"string"}}}}}',
    '{"a":1}',
    [" | required | b | must have the property 'b'", '/a | type | must be string'],
  ],
  [
    'allOf',
    '{"allOf":[{"required":["a"]},{"properties":{"b":{"type":"null"}}}]}',
    '{"b":1}',
    [" | required | a | must have the property 'a'", '/b | type | must be null'],
  ],
  [
    'anyOf',
    '{"properties":{"v":{"anyOf":[{"type":"string"},{"type":"number","minimum":5}]}}}',
    '{"v":4}',
    [
      '/v | type | must be string',
      '/v | minimum | must be >= 5',
      '/v | anyOf | must match a schema in anyOf',
    ],
  ],
  [
    'anyOf of objects',
    '{"properties":{"v":{"anyOf":[{"type":"object","required":["a"]},{"type":"array"}]}}}',
    '{"v":{}}',
    [
      "/v | required | a | must have the property 'a'",
      '/v | type | must be array',
      '/v | anyOf | must match a schema in anyOf',
    ],
  ],
  [
    'oneOf, none',
    '{"properties":{"v":{"oneOf":[{"type":"string"},{"const":1}]}}}',
    '{"v":4}',
    [
      '/v | type | must be string',
      '/v | const | must be 1',
      '/v | oneOf | must match exactly one schema in oneOf',
    ],
  ],
  [
    'oneOf, two',
    '{"properties":{"v":{"oneOf":[{"type":"null"},{"minimum":1},{"maximum":9},{"type":"array"}]}}}',
    '{"v":4}',
    ['/v | type | must be null', '/v | oneOf | must match exactly one schema in oneOf'],
  ],
  [
    'anyOf in oneOf in items',
    '{"properties":{"v":{"items":{"oneOf":[{"anyOf":[{"type":"string"},{"type":"null"}]},{"required":["k"],"type":"object"}]}}}}',
    '{"v":["a",1,{}]}',
    [
      '/v/1 | type | must be string',
      '/v/1 | type | must be null',
      '/v/1 | anyOf | must match a schema in anyOf',
      '/v/1 | type | must be object',
      '/v/1 | oneOf | must match exactly one schema in oneOf',
      '/v/2 | type | must be string',
      '/v/2 | type | must be null',
      '/v/2 | anyOf | must match a schema in anyOf',
      "/v/2 | required | k | must have the property 'k'",
      '/v/2 | oneOf | must match exactly one schema in oneOf',
    ],
  ],
  ['not', '{"properties":{"v":{"not":{"type":"string"}}}}', '{"v":"x"}', ['/v | not | must NOT be valid']],
  [
    'if and then',
    '{"if":{"required":["a"]},"then":{"required":["b"]}}',
    '{"a":1}',
    [" | required | b | must have the property 'b'", ' | if | must match "then" schema'],
  ],
  [
    'if and else',
    '{"if":{"required":["a"]},"else":{"required":["b"],"properties":{"c":{"type":"null"}}}}',
    '{"c":1}',
    [
      " | required | b | must have the property 'b'",
      '/c | type | must be null',
      ' | if | must match "else" schema',
    ],
  ],
  [
    '$ref',
    '{"$defs":{"n":{"type":"number"}},"properties":{"v":{"$ref":"#/$defs/n"},"w":{"$ref":"#/$defs/n","minimum":3}}}',
    '{"v":"x","w":2}',
    ['/v | type | must be number', '/w | minimum | must be >= 3'],
  ],
  [
    '$ref to the root',
    '{"properties":{"child":{"$ref":"#"},"n":{"type":"number"}}}',
    '{"child":{"child":{"n":"x"}}}',
    ['/child/child/n | type | must be number'],
  ],
  [
    '$anchor',
    '{"$defs":{"n":{"$anchor":"n","type":"number"}},"properties":{"v":{"$ref":"#n"}}}',
    '{"v":"x"}',
    ['/v | type | must be number'],
  ],
  [
    '$dynamicRef',
    '{"$id":"https://x.test/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,"$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","type":"object","properties":{"data":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}}}}}',
    '{"children":[{"daat":1}]}',
    ["/children/0 | unevaluatedProperties | daat | must not have the property 'daat'"],
  ],
  [
    '$recursiveRef',
    '{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"a":{"$recursiveRef":"#"},"n":{"type":"integer"}}}',
    '{"a":{"n":"x","a":1}}',
    ['/a/a | type | must be object', '/a/n | type | must be integer'],
  ],
  [
    'unevaluatedProperties: false',
    '{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}',
    '{"a":1,"b":1,"c":1}',
    [
      " | unevaluatedProperties | b | must not have the property 'b'",
      " | unevaluatedProperties | c | must not have the property 'c'",
    ],
  ],
  [
    'unevaluatedProperties',
    '{"anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"required":["b"]}],"unevaluatedProperties":{"type":"number"}}',
    '{"b":1,"a":"x","c":"y"}',
    ['/c | type | must be number'],
  ],
  [
    'unevaluatedProperties with if',
    '{"$schema":"https://json-schema.org/draft/2019-09/schema","if":{"required":["a"],"properties":{"a":{"const":1}}},"then":{"properties":{"b":{}}},"else":{"properties":{"c":{}}},"unevaluatedProperties":false}',
    '{"a":1,"b":1,"c":1}',
    [" | unevaluatedProperties | c | must not have the property 'c'"],
  ],
  [
    'unevaluatedItems: false',
    '{"properties":{"v":{"allOf":[{"prefixItems":[{"type":"integer"}]}],"unevaluatedItems":false}}}',
    '{"v":[1,2,3]}',
    ['/v | unevaluatedItems | must not have the item 1', '/v | unevaluatedItems | must not have the item 2'],
  ],
  [
    'unevaluatedItems',
    '{"properties":{"v":{"prefixItems":[{}],"unevaluatedItems":{"type":"integer"}}}}',
    '{"v":["x",2,"y"]}',
    ['/v/2 | type | must be integer'],
  ],
  [
    'unevaluatedItems: false with contains',
    '{"properties":{"v":{"contains":{"type":"string"},"unevaluatedItems":false}}}',
    '{"v":["x",2]}',
    ['/v | unevaluatedItems | does not conform to unevaluatedItems of the schema'],
  ],
  [
    'unevaluatedItems of 2019-09',
    '{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"v":{"items":[{}],"unevaluatedItems":false}}}',
    '{"v":[1,2]}',
    ['/v | unevaluatedItems | must not have the item 1'],
  ],
  [
    'draft 04: maximum that is exclusive',
    '{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"v":{"maximum":5,"exclusiveMaximum":true},"w":{"minimum":5,"exclusiveMinimum":true}}}',
    '{"v":5,"w":5}',
    ['/v | maximum | must be < 5', '/w | minimum | must be > 5'],
  ],
  [
    'draft 04: dependencies',
    '{"$schema":"http://json-schema.org/draft-04/schema#","dependencies":{"a":["b"],"c":{"required":["d"]}}}',
    '{"a":1,"c":1}',
    [
      " | dependencies | b | must have the property 'b', as it has 'a'",
      " | required | d | must have the property 'd'",
    ],
  ],
  [
    'draft 04: items as a list',
    '{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"v":{"items":[{"type":"string"}],"additionalItems":false}}}',
    '{"v":[1,2]}',
    ['/v | additionalItems | must NOT have more than 1 items', '/v/0 | type | must be string'],
  ],
  [
    'draft 06: contains',
    '{"$schema":"http://json-schema.org/draft-06/schema#","properties":{"v":{"contains":{"const":1}}}}',
    '{"v":[2]}',
    ['/v/0 | const | must be 1', '/v | contains | must contain at least 1 valid item(s)'],
  ],
  [
    'draft 06: propertyNames',
    '{"$schema":"http://json-schema.org/draft-06/schema#","propertyNames":{"minLength":2}}',
    '{"a":1}',
    [
      " | minLength | a | property name 'a' must NOT have fewer than 2 characters",
      " | propertyNames | a | must not have a property named 'a'",
    ],
  ],
  [
    'draft 07: if',
    '{"$schema":"http://json-schema.org/draft-07/schema#","if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]}}',
    '{"a":1}',
    [" | required | b | must have the property 'b'", ' | if | must match "then" schema'],
  ],
  [
    'draft 07: additionalItems',
    '{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"v":{"items":[{}],"additionalItems":{"type":"integer"}}}}',
    '{"v":[1,"x"]}',
    ['/v/1 | type | must be integer'],
  ],
  [
    'draft 07: dependencies of a property',
    '{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b","c"]}}',
    '{"a":1,"b":1}',
    [" | dependencies | c | must have the property 'c', as it has 'a'"],
  ],
  [
    'a reference to a meta-schema',
    '{"properties":{"v":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}',
    '{"v":{"type":1}}',
    [
      '/v/type | enum | must be one of "array", "boolean", "integer", "null", "number", "object", "string"',
      '/v/type | type | must be array',
      '/v/type | anyOf | must match a schema in anyOf',
    ],
  ],
  [
    'a reference to the meta-schema of draft 07',
    '{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"v":{"$ref":"http://json-schema.org/draft-07/schema#"}}}',
    '{"v":{"minLength":-1}}',
    ['/v/minLength | minimum | must be >= 0'],
  ],
  [
    'a large bound',
    '{"properties":{"v":{"minimum":9007199254740993}}}',
    '{"v":1}',
    ['/v | minimum | must be >= 9007199254740993'],
  ],
  [
    'a large bound, a fault of 1',
    '{"properties":{"v":{"minimum":9007199254740993}}}',
    '{"v":9007199254740992}',
    ['/v | minimum | does not conform to minimum of the schema'],
  ],
  [
    'a large enum',
    '{"properties":{"v":{"enum":[9007199254740993]}}}',
    '{"v":1}',
    ['/v | enum | must be one of 9007199254740993'],
  ],
  [
    'a large const, another large value',
    '{"properties":{"v":{"const":9007199254740993}}}',
    '{"v":9007199254740995}',
    ['/v | const | must be 9007199254740993'],
  ],
  [
    'a large number that is no string',
    '{"properties":{"v":{"type":"string"}}}',
    '{"v":9223372036854775807}',
    ['/v | type | must be string'],
  ],
  [
    'large numbers that differ by 1 are unique, beside a fault',
    '{"properties":{"v":{"uniqueItems":true},"w":{"type":"null"}}}',
    '{"v":[9007199254740992,9007199254740993],"w":1}',
    ['/w | type | must be null'],
  ],
  [
    'large equal numbers',
    '{"properties":{"v":{"uniqueItems":true}}}',
    '{"v":[9007199254740993,1,9007199254740993]}',
    ['/v | uniqueItems | must not have equal items (0 and 2 are)'],
  ],
  [
    'a large multiple',
    '{"properties":{"v":{"multipleOf":3}}}',
    '{"v":9007199254740994}',
    ['/v | multipleOf | must be multiple of 3'],
  ],
  [
    'a large multiple that holds, beside a fault',
    '{"properties":{"v":{"multipleOf":10},"w":{"type":"null"}}}',
    '{"v":9223372036854775800,"w":1}',
    ['/w | type | must be null'],
  ],
  [
    'int64',
    '{"properties":{"v":{"type":"number","format":"int64"}}}',
    '{"v":1e19}',
    ['/v | format | must match format "int64"'],
  ],
  [
    'several keywords of a number',
    '{"properties":{"v":{"minimum":10,"multipleOf":4,"enum":[12]}}}',
    '{"v":3}',
    [
      '/v | enum | must be one of 12',
      '/v | minimum | must be >= 10',
      '/v | multipleOf | must be multiple of 4',
    ],
  ],
  [
    'several keywords of a text',
    '{"properties":{"v":{"type":"string","minLength":3,"pattern":"^a","format":"date"}}}',
    '{"v":"b"}',
    [
      '/v | minLength | must NOT have fewer than 3 characters',
      '/v | pattern | must match pattern "^a"',
      '/v | format | must match format "date"',
    ],
  ],
  [
    'several keywords of an array',
    '{"properties":{"v":{"minItems":5,"uniqueItems":true,"contains":{"const":9},"items":{"maximum":1}}}}',
    '{"v":[2,2]}',
    [
      '/v | minItems | must NOT have fewer than 5 items',
      '/v/0 | maximum | must be <= 1',
      '/v/1 | maximum | must be <= 1',
      '/v/0 | const | must be 9',
      '/v/1 | const | must be 9',
      '/v | contains | must contain at least 1 valid item(s)',
      '/v | uniqueItems | must not have equal items (0 and 1 are)',
    ],
  ],
  [
    'several keywords of an object',
    '{"required":["a"],"minProperties":5,"propertyNames":{"maxLength":1},"additionalProperties":{"type":"string"},"dependentRequired":{"bb":["c"]}}',
    '{"bb":1}',
    [
      ' | minProperties | must NOT have fewer than 5 properties',
      " | required | a | must have the property 'a'",
      " | maxLength | bb | property name 'bb' must NOT have more than 1 characters",
      " | propertyNames | bb | must not have a property named 'bb'",
      '/bb | type | must be string',
      " | dependentRequired | c | must have the property 'c', as it has 'bb'",
    ],
  ],
  [
    'default and title change nothing',
    '{"properties":{"v":{"type":"integer","default":3,"title":"x","x-own":1}}}',
    '{"v":"3"}',
    ['/v | type | must be integer'],
  ],
];

it.each(refusals)('tells %s', (_what, schema, payload, told) => {
  const { issues } = explain(schema, payload);
  const lines = issues.map(({ path, keyword, property, message }) =>
    [path, keyword, ...(property === undefined ? [] : [property]), message].join(' | '),
  );
  expect(lines).toEqual(told);
});

it('cuts long names and values', () => {
  const schema = {
    additionalProperties: false,
    properties: { s: { maxLength: 3 }, e: { enum: ['z'.repeat(300)] } },
  };
  const payload = { [`long${'g'.repeat(700)}`]: 1, s: 's'.repeat(900), e: 1 };
  expect(explain(JSON.stringify(schema), JSON.stringify(payload)).issues).toEqual([
    {
      path: '',
      keyword: 'additionalProperties',
      property: expect.stringMatching(/^long.{495}…$/),
      message: expect.stringMatching(/^must not have the property 'long.{95}…'$/),
    },
    { path: '/s', keyword: 'maxLength', message: 'must NOT have more than 3 characters' },
    { path: '/e', keyword: 'enum', message: 'must be equal to one of the allowed values' },
  ]);
});

it('lists no more than 100 faults of 50,000', () => {
  const { issues } = explain(
    '{"properties":{"v":{"items":{"type":"number"}}}}',
    JSON.stringify({ v: Array(50_000).fill('') }),
  );
  expect(issues).toHaveLength(limits.maxDetails);
  expect(issues[99]).toEqual({ path: '/v/99', keyword: 'type', message: 'must be number' });
});

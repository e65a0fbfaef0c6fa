import { _, Ajv, type AnySchema, type CodeKeywordDefinition, type Options, str } from 'ajv';
import ajv2019 from 'ajv/dist/2019.js';
import ajv2020 from 'ajv/dist/2020.js';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import ajvDraft04 from 'ajv-draft-04';
import { type Draft, metaSchemaUris } from '../draft.ts';
import { findDuplicate } from '../equality.ts';
import { formats } from '../formats/formats.ts';
import { Refused } from '../refusal.ts';
import { isObject, type Schema } from '../schema.ts';
import type { Checked } from './check.ts';
import { link } from './link.ts';

type AjvClass = new (options: Options) => Ajv;

export const ajvClasses: Record<Draft, AjvClass> = {
  '2020-12': ajv2020.Ajv2020 as unknown as AjvClass,
  '2019-09': ajv2019.Ajv2019 as unknown as AjvClass,
  '07': Ajv,
  '06': Ajv,
  '04': ajvDraft04.default as unknown as AjvClass,
};

/** They word what the meta-schema of a draft refuses. */
const checkers = new Map<Draft, Ajv>();

/** Checks a schema against the meta-schema of its draft, and links it. Throws Refused. */
export function checkAndLink({ schema, draft, walk }: Checked): Schema {
  // Ajv knows only one URI for each draft.
  checkBy(draft, { ...schema, $schema: metaSchemaUris[draft] }, '');
  const linked = link(schema, draft, walk);
  // The first check skips parts that only a reference makes a schema.
  checkBy(draft, linked, 'a reference leads to what is ');
  return linked;
}

function checkBy(draft: Draft, schema: Record<string, unknown>, lead: string): void {
  const checker = checkers.get(draft) ?? createChecker(draft);
  checkers.set(draft, checker);
  if (!checker.validateSchema(replaceBigInts(enumsAsText(schema), Number) as AnySchema))
    throw new Refused(`${lead}${metaSchemaProblem(checker)}`);
}

function createChecker(draft: Draft): Ajv {
  const ajv = new ajvClasses[draft]({
    strict: false,
    logger: false,
    inlineRefs: false,
    formats,
  });
  ajv.removeKeyword('uniqueItems').addKeyword(uniqueItems);
  if (draft === '06') ajv.addMetaSchema(draft06);
  return ajv;
}

/** With texts for the BigInts in `enum`: as doubles, two of them could be equal. */
const enumsAsText = (schema: unknown): unknown =>
  mapMembers(schema, (value, key) =>
    key === 'enum' && Array.isArray(value) ? replaceBigInts(value, String) : enumsAsText(value),
  );

/** A copy of the value with all BigInts replaced. */
export const replaceBigInts = (value: unknown, replace: (integer: bigint) => unknown): unknown =>
  typeof value === 'bigint' ? replace(value) : mapMembers(value, (member) => replaceBigInts(member, replace));

function mapMembers(value: unknown, map: (member: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => map(item, ''));
  if (!isObject(value)) return value;
  const copy = { ...value };
  for (const key of Object.keys(copy)) copy[key] = map(copy[key], key);
  return copy;
}

/** Ajv's own keyword takes quadratic time. */
const uniqueItems: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: {
    message: ({ params: { pair } }) =>
      str`must not have equal items (${_`${pair}.i`} and ${_`${pair}.j`} are)`,
    params: ({ params: { pair } }) => _`${pair}`,
  },
  code(cxt) {
    const { gen, data, schema } = cxt;
    if (!schema) return;
    const find = gen.scopeValue('func', { ref: findDuplicate });
    const pair = gen.const('pair', _`${find}(${data})`);
    cxt.setParams({ pair });
    cxt.fail(_`${pair} !== undefined`);
  },
};

function metaSchemaProblem(ajv: Ajv): string {
  const error = ajv.errors?.[0];
  const place = error?.instancePath ? `at ${error.instancePath}` : 'at its root';
  return `not a valid JSON Schema ${place}: ${error?.message ?? 'unknown reason'}`;
}

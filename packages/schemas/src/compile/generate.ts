import { printed } from '@sluice/json/numbers.ts';
import { _, Ajv, type AnySchema, type CodeKeywordDefinition, type Options, str } from 'ajv';
import ajv2019 from 'ajv/dist/2019.js';
import ajv2020 from 'ajv/dist/2020.js';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import standalone from 'ajv/dist/standalone/index.js';
import ajvDraft04 from 'ajv-draft-04';
import type { Checked } from '../check/check.ts';
import { type Linked, link } from '../check/link.ts';
import { type Draft, metaSchemaUris } from '../draft.ts';
import { limits } from '../limits.ts';
import { buildPattern } from '../patterns/linear-regexp.ts';
import { Refused } from '../refusal.ts';
import { createRuntime } from '../runtime.ts';
import { isObject } from '../schema.ts';
import { trackEvaluated } from './evaluated.ts';
import { flatten } from './flat.ts';
import { instrument } from './instrument.ts';

type AjvClass = new (options: Options) => Ajv;

const classes: Record<Draft, AjvClass> = {
  '2020-12': ajv2020.Ajv2020 as unknown as AjvClass,
  '2019-09': ajv2019.Ajv2019 as unknown as AjvClass,
  '07': Ajv,
  '06': Ajv,
  '04': ajvDraft04.default as unknown as AjvClass,
};

/** Ajv asks for the functions themselves, though generated code calls those of its own runtime. */
const free = createRuntime(() => {});

/** Instances that check users' schemas against the meta-schema of a draft. */
const checkers = new Map<Draft, Ajv>();

export interface Generated {
  /** The body of a function that takes the runtime and returns the validating function. */
  code: string;
  /** The RE2 instructions of all patterns. */
  instructions: number;
}

/** Checks a schema against the meta-schema of its draft, and links it. Throws Refused. */
export function checkAndLink({ schema, draft, walk }: Checked): Linked {
  // Ajv knows only one URI for each draft.
  checkBy(draft, { ...schema, $schema: metaSchemaUris[draft] }, '');
  const linked = link(schema, draft, walk);
  // The first check skips parts that only a reference makes a schema.
  checkBy(draft, linked.schema, 'a reference leads to what is ');
  return linked;
}

/** Throws Refused. */
export function generate(checked: Checked, exhaustive: boolean, linked = checkAndLink(checked)): Generated {
  const { draft } = checked;
  const { schema, tracks, usesMetaSchema } = linked;
  const regExp = createRegExp();
  const ajv = createAjv(draft, regExp, { exhaustive, meta: usesMetaSchema });
  flatten(ajv);
  ajv.opts.unevaluated = tracks;
  if (tracks) trackEvaluated(ajv);
  const code = standalone.default(ajv, ajv.compile(replaceBigInts(schema, printed) as AnySchema));
  const paying = instrument(code, exhaustive ? { maxErrors: limits.maxGathered } : {});
  if (paying.length > limits.codeLength) throw new Refused('the schema is too large when compiled');
  const body = `"use strict";const $spend=$.spend;${paying.replace('module.exports = ', 'const main = ').replace(/module\.exports\.default = \w+;/, '')}\nreturn main;`;
  return { code: body, instructions: regExp.instructions() };
}

function checkBy(draft: Draft, schema: Record<string, unknown>, lead: string): void {
  const checker = checkers.get(draft) ?? createAjv(draft, createRegExp(), { exhaustive: false, meta: true });
  checkers.set(draft, checker);
  if (!checker.validateSchema(replaceBigInts(schema, Number) as AnySchema))
    throw new Refused(`${lead}${metaSchemaProblem(checker)}`);
}

/** A copy of the value with all BigInts replaced. */
function replaceBigInts(value: unknown, replace: (integer: bigint) => unknown): unknown {
  if (typeof value === 'bigint') return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceBigInts(item, replace));
  if (!isObject(value)) return value;
  const copy = { ...value };
  for (const key of Object.keys(copy)) copy[key] = replaceBigInts(copy[key], replace);
  return copy;
}

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
    const find = gen.scopeValue('func', { ref: free.findDuplicate, code: _`$.findDuplicate` });
    const pair = gen.const('pair', _`${find}(${data})`);
    cxt.setParams({ pair });
    cxt.fail(_`${pair} !== undefined`);
  },
};

/** Ajv's own keyword divides doubles, and so refuses most prices. */
const multipleOf: CodeKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  error: {
    message: ({ schema }) => str`must be multiple of ${schema}`,
    params: ({ schema }) => _`{multipleOf: ${schema}}`,
  },
  code(cxt) {
    const { gen, data, schema } = cxt;
    const test = gen.scopeValue('func', { ref: free.isMultiple, code: _`$.isMultiple` });
    cxt.fail(_`!${test}(${data}, ${schema})`);
  },
};

/** Lets keywords take raw JSON numbers, as the meta-schema has already checked the schema. */
function takeBigInts(ajv: Ajv): void {
  for (const rule of Object.values(ajv.RULES.all)) {
    if (typeof rule !== 'object' || !rule.definition.schemaType?.includes('number')) continue;
    rule.definition = { ...rule.definition, schemaType: [] };
  }
}

interface AjvUse {
  exhaustive: boolean;
  meta: boolean;
}

function createAjv(draft: Draft, regExp: ReturnType<typeof createRegExp>, { exhaustive, meta }: AjvUse): Ajv {
  const ajv = new classes[draft]({
    // Unknown keywords are annotations; a payload is never changed.
    strict: false,
    ownProperties: true,
    useDefaults: false,
    coerceTypes: false,
    removeAdditional: false,
    $data: false,
    // Compiles each definition once, not once for each reference.
    inlineRefs: false,
    allErrors: exhaustive,
    logger: false,
    meta,
    validateSchema: false,
    // Ajv's optimizer takes quadratic time, and removes variables that are in use.
    code: { source: true, optimize: false, formats: _`$.formats`, regExp },
    formats: free.formats,
  });
  ajv.removeKeyword('uniqueItems').addKeyword(uniqueItems);
  ajv.removeKeyword('multipleOf').addKeyword(multipleOf);
  takeBigInts(ajv);
  if (draft === '06' && meta) ajv.addMetaSchema(draft06);
  return ajv;
}

/** Builds each pattern once, only to refuse large ones; the runtime builds those of generated code. */
function createRegExp() {
  const built = new Map<string, number>();
  let total = 0;
  const regExp = (source: string) => {
    if (!built.has(source)) {
      const size = buildForSize(source);
      built.set(source, size);
      total += size;
      if (total > limits.schemaInstructions)
        throw new Refused('the patterns of the schema are too large together');
    }
    return { test: () => true, toString: () => `/${source}/u` };
  };
  return Object.assign(regExp, { code: '$.pattern', instructions: () => total });
}

function buildForSize(source: string): number {
  try {
    return buildPattern(source).size;
  } catch (error) {
    if (error instanceof Refused)
      throw new Refused(`the pattern ${JSON.stringify(source.slice(0, limits.shownName))} ${error.message}`);
    throw error;
  }
}

function metaSchemaProblem(ajv: Ajv): string {
  const error = ajv.errors?.[0];
  const place = error?.instancePath ? `at ${error.instancePath}` : 'at its root';
  return `not a valid JSON Schema ${place}: ${error?.message ?? 'unknown reason'}`;
}

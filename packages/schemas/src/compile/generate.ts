import { printed } from '@sluice/json/numbers.ts';
import { _, type Ajv, type AnySchema, type CodeKeywordDefinition, str } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import type { Checked } from '../check/check.ts';
import { ajvClasses, checkAndLink, free, replaceBigInts, uniqueItems } from '../check/check-and-link.ts';
import type { Draft } from '../draft.ts';
import { limits } from '../limits.ts';
import { buildPattern } from '../patterns/linear-regexp.ts';
import { Refused } from '../refusal.ts';
import { trackEvaluated } from './evaluated.ts';
import { flatten } from './flat.ts';
import { instrument } from './instrument.ts';

export interface Generated {
  /** The body of a function that takes the runtime and returns the validating function. */
  code: string;
  /** The RE2 instructions of all patterns. */
  instructions: number;
}

/** Throws Refused. */
export function generate(checked: Checked, exhaustive: boolean, linked = checkAndLink(checked)): Generated {
  const { draft } = checked;
  const { schema, tracks } = linked;
  const regExp = createRegExp();
  const ajv = createAjv(draft, regExp, exhaustive);
  flatten(ajv);
  ajv.opts.unevaluated = tracks;
  if (tracks) trackEvaluated(ajv);
  const code = standalone.default(ajv, ajv.compile(replaceBigInts(schema, printed) as AnySchema));
  const paying = instrument(code, exhaustive ? { maxErrors: limits.maxGathered } : {});
  if (paying.length > limits.codeLength) throw new Refused('the schema is too large when compiled');
  const body = `"use strict";const $spend=$.spend;${paying.replace('module.exports = ', 'const main = ').replace(/module\.exports\.default = \w+;/, '')}\nreturn main;`;
  return { code: body, instructions: regExp.instructions() };
}

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

function createAjv(draft: Draft, regExp: ReturnType<typeof createRegExp>, exhaustive: boolean): Ajv {
  const ajv = new ajvClasses[draft]({
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
    meta: false,
    validateSchema: false,
    // Ajv's optimizer takes quadratic time, and removes variables that are in use.
    code: { source: true, optimize: false, formats: _`$.formats`, regExp },
    formats: free.formats,
  });
  ajv.removeKeyword('uniqueItems').addKeyword(uniqueItems);
  ajv.removeKeyword('multipleOf').addKeyword(multipleOf);
  takeBigInts(ajv);
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

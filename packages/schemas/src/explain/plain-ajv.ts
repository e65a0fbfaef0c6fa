import { Ajv, type AnySchema, type ErrorObject, type Options } from 'ajv';
import ajv2019 from 'ajv/dist/2019.js';
import ajv2020 from 'ajv/dist/2020.js';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import ajvDraft04 from 'ajv-draft-04';
import type { Linked } from '../compile/link.ts';
import type { Draft } from '../draft.ts';
import { isObject } from '../schema.ts';
import { createFormats } from '../validate/formats.ts';
import { linearRegExp } from '../validate/linear-regexp.ts';

type AjvClass = new (options: Options) => Ajv;

const classes: Record<Draft, AjvClass> = {
  '2020-12': ajv2020.Ajv2020 as unknown as AjvClass,
  '2019-09': ajv2019.Ajv2019 as unknown as AjvClass,
  '07': Ajv,
  '06': Ajv,
  '04': ajvDraft04.default as unknown as AjvClass,
};

const formats = createFormats(() => {});
const regExp = Object.assign((source: string) => linearRegExp(source, () => {}), { code: 'linearRegExp' });

/** Quotients are rounded here, as Ajv divides doubles: 19.99 / 0.01 is 1998.9999999999998. */
const multipleOfPrecision = 9;

/** Measured in the heap of a thread with 1,000 functions: what each takes, and each character of its code. */
const [functionBytes, characterBytes] = [40_000, 6];

export interface Compiled {
  /** All errors that Ajv finds. Throws RangeError if the payload or the schema is too deep. */
  errorsOf(payload: unknown): ErrorObject[];
  /** About the memory that it takes. */
  bytes: number;
}

/** Compiles a linked schema with Ajv as its authors made it. Each has an instance, so that nothing stays of it. */
export function compile({ schema, tracks, usesMetaSchema }: Linked, draft: Draft): Compiled {
  let characters = 0;
  const ajv = new classes[draft]({
    // Unknown keywords are annotations.
    strict: false,
    ownProperties: true,
    allErrors: true,
    // Compiles each definition once, not once for each reference.
    inlineRefs: false,
    logger: false,
    meta: usesMetaSchema,
    validateSchema: false,
    multipleOfPrecision,
    formats,
    code: {
      // Ajv's optimizer takes quadratic time, and removes variables that are in use.
      optimize: false,
      regExp,
      process(code) {
        characters += code.length;
        return code;
      },
    },
  });
  ajv.opts.unevaluated = tracks;
  if (draft === '06' && usesMetaSchema) ajv.addMetaSchema(draft06);
  lookLast(ajv, 'uniqueItems');
  lookLast(ajv, 'multipleOf');
  const validate = ajv.compile(withDoubles(schema) as AnySchema);
  return {
    bytes: functionBytes + characters * characterBytes,
    errorsOf(payload) {
      validate(payload);
      const errors = validate.errors ?? [];
      validate.errors = null;
      return errors;
    },
  };
}

/** People have always read this fault after the others of a value. */
function lookLast(ajv: Ajv, keyword: string): void {
  const definition = ajv.getKeyword(keyword);
  if (typeof definition === 'object') ajv.removeKeyword(keyword).addKeyword({ ...definition, keyword });
}

/** A copy of the value with doubles for BigInts. */
function withDoubles(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withDoubles);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withDoubles(child)]));
}

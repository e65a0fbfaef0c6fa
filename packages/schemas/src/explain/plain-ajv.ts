import type { Ajv, AnySchema, ErrorObject } from 'ajv';
import { ajvClasses, replaceBigInts } from '../check/check-and-link.ts';
import type { Draft } from '../draft.ts';
import { formats } from '../formats/formats.ts';
import { linearRegExp } from '../patterns/linear-regexp.ts';
import type { Schema } from '../schema.ts';
import { hasMember } from './has-member.ts';

const regExp = Object.assign((source: string) => linearRegExp(source), { code: 'linearRegExp' });

/** Quotients are rounded here, as Ajv divides doubles: 19.99 / 0.01 is 1998.9999999999998. */
const multipleOfPrecision = 9;

/** Measured in the heap with 300 schemas of 1 to 100 properties: 29 to 300 KB each. */
const [functionBytes, characterBytes] = [26_000, 3];

export interface AjvFunction {
  /** All errors that Ajv finds. Undefined where it fails. */
  errorsOf(payload: unknown): ErrorObject[] | undefined;
  /** About the memory that it takes. */
  bytes: number;
}

/** Compiles a linked schema with Ajv as its authors made it. Each has an instance, so that nothing stays of it. */
export function compile(schema: Schema, draft: Draft): AjvFunction {
  let characters = 0;
  const ajv = new ajvClasses[draft]({
    // Unknown keywords are annotations.
    strict: false,
    ownProperties: true,
    allErrors: true,
    // Compiles each definition once, not once for each reference.
    inlineRefs: false,
    logger: false,
    meta: false,
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
  // Otherwise what it evaluates is kept for nobody.
  ajv.opts.unevaluated = hasMember(schema, (name) => name.startsWith('unevaluated'));
  lookLast(ajv, 'uniqueItems');
  lookLast(ajv, 'multipleOf');
  const validate = attempt(() => ajv.compile(replaceBigInts(schema, Number) as AnySchema));
  return {
    bytes: functionBytes + characters * characterBytes,
    errorsOf: (payload) =>
      attempt(() => {
        validate?.(payload);
        return validate && (validate.errors ?? []);
      }),
  };
}

/** Ajv throws plain errors where its code, or that which it makes, is wrong. */
function attempt<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** People have always read this fault after the others of a value. */
function lookLast(ajv: Ajv, keyword: string): void {
  const definition = ajv.getKeyword(keyword);
  if (typeof definition === 'object') ajv.removeKeyword(keyword).addKeyword({ ...definition, keyword });
}

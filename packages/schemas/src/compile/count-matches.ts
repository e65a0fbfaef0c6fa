import { _, type AnySchema, type KeywordCxt, Name } from 'ajv';
import { not } from 'ajv/dist/compile/codegen/index.js';
import { alwaysValidSchema, Type } from 'ajv/dist/compile/util.js';

/**
 * Calls `onContained` for each item that conforms. Without it, the loop ends as soon as the result is known.
 *
 * In a loop, Ajv's own code reuses the last result for an empty array.
 */
export function contains(cxt: KeywordCxt, onContained?: (i: Name) => void): void {
  const { gen, data, keyword, parentSchema } = cxt;
  const { minContains: min = 1, maxContains: max } = parentSchema;
  const count = gen.let('count', 0);
  const valid = gen.name('valid');
  gen.forRange('i', 0, _`${data}.length`, (i) => {
    cxt.subschema({ keyword, dataProp: i, dataPropType: Type.Num, compositeRule: true }, valid);
    gen.if(valid, () => {
      gen.code(_`${count}++`);
      if (onContained) onContained(i);
      else gen.if(max === undefined ? _`${count} >= ${min}` : _`${count} > ${max}`, () => gen.break());
    });
  });
  cxt.setParams({ min, max });
  const enough = _`${count} >= ${min}`;
  cxt.result(max === undefined ? enough : _`${enough} && ${count} <= ${max}`, () => cxt.reset());
}

/** Parts after the first valid one are checked only for the properties and items that they evaluate. */
export function anyOf(cxt: KeywordCxt): void {
  const { gen, schema, it, keyword } = cxt;
  if (!it.opts.unevaluated && schema.some((part: AnySchema) => alwaysValidSchema(it, part))) return;
  const valid = gen.let('valid', false);
  const partValid = gen.name('_valid');
  const check = (schemaProp: number) => {
    const part = cxt.subschema({ keyword, schemaProp, compositeRule: true }, partValid);
    gen.assign(valid, _`${valid} || ${partValid}`);
    cxt.mergeValidEvaluated(part, partValid);
  };
  for (const i of schema.keys())
    if (i === 0 || it.opts.unevaluated) check(i);
    else gen.if(not(valid), () => check(i));
  cxt.result(
    valid,
    () => cxt.reset(),
    () => cxt.error(true),
  );
}

export function oneOf(cxt: KeywordCxt): void {
  const { gen, schema, keyword } = cxt;
  const count = gen.let('count', 0);
  const partValid = gen.name('_valid');
  cxt.setParams({ passing: _`null` });
  for (const i of schema.keys())
    gen.if(_`${count} < 2`, () => {
      const part = cxt.subschema({ keyword, schemaProp: i, compositeRule: true }, partValid);
      gen.if(partValid, () => {
        gen.code(_`${count}++`);
        cxt.mergeEvaluated(part, Name);
      });
    });
  cxt.result(
    _`${count} === 1`,
    () => cxt.reset(),
    () => cxt.error(true),
  );
}

import { _, type KeywordCxt, type Name } from 'ajv';
import { and, or } from 'ajv/dist/compile/codegen/index.js';
import { checkReportMissingProp, noPropertyInData, propertyInData } from 'ajv/dist/vocabularies/code.js';

/** Generating a condition takes quadratic time. */
const namesACondition = 50;

export function required(cxt: KeywordCxt): void {
  const valid = cxt.gen.var('valid', true);
  reportMissing(cxt, cxt.schema, valid);
  cxt.ok(valid);
}

/** `dependents`: names that must be there, by the name that asks for them. */
export function requiredBy(cxt: KeywordCxt, dependents: Record<string, string[]>): void {
  const { gen, data } = cxt;
  const valid = gen.var('valid', true);
  for (const [property, names] of Object.entries(dependents)) {
    cxt.setParams({ property, depsCount: names.length, deps: names.join(', ') });
    gen.if(propertyInData(gen, data, property, true), () => reportMissing(cxt, names, valid));
  }
  cxt.ok(valid);
}

function reportMissing(cxt: KeywordCxt, names: string[], valid: Name): void {
  const { gen, data, allErrors } = cxt;
  if (allErrors) {
    for (const name of names) checkReportMissingProp(cxt, name);
    return;
  }
  const missing = gen.let('missing');
  for (let i = 0; i < names.length; i += namesACondition) {
    const absent = names
      .slice(i, i + namesACondition)
      .map((name) => and(noPropertyInData(gen, data, name, true), _`(${missing} = ${name}) !== undefined`));
    gen.if(and(valid, or(...absent)), () => {
      cxt.setParams({ missingProperty: missing }, true);
      cxt.error();
      gen.assign(valid, false);
    });
  }
}

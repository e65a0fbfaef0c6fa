import { _, type Ajv, type AnySchema, type Code, type KeywordCxt, type Name, stringify } from 'ajv';
import { and, not, or } from 'ajv/dist/compile/codegen/index.js';
import { alwaysValidSchema, mergeEvaluated, Type, toHash } from 'ajv/dist/compile/util.js';
import { checkReportMissingProp, noPropertyInData, propertyInData } from 'ajv/dist/vocabularies/code.js';
import { anyOf, contains, oneOf } from './count-matches.ts';
import { replaceKeyword } from './replace-keyword.ts';

type Schemas = Record<string, AnySchema>;
type Subschema = Parameters<KeywordCxt['subschema']>[0];
type Subcontext = ReturnType<KeywordCxt['subschema']>;

/** With more properties, those with the same schema share code, in groups of at least `leastShared`. */
const wideFrom = 100;
const leastShared = 10;
/** Each key of a payload is compared with all groups. */
const mostGroups = 20;
/** Ajv takes quadratic time to generate a condition. */
const namesACondition = 50;

/**
 * Makes Ajv generate the parts of a keyword one after the other, where its own code nests each part in the last.
 *
 * Ajv's code has quadratic size, skips keywords after a short tuple, and does not require the empty name.
 */
export function flatten(ajv: Ajv): void {
  replaceKeyword(ajv, 'properties', properties);
  replaceKeyword(ajv, 'prefixItems', (cxt) => tuple(cxt));
  replaceKeyword(ajv, 'items', (cxt, original) => (Array.isArray(cxt.schema) ? tuple(cxt) : original()));
  replaceKeyword(ajv, 'contains', (cxt) => contains(cxt));
  replaceKeyword(ajv, 'allOf', allOf);
  replaceKeyword(ajv, 'anyOf', anyOf);
  replaceKeyword(ajv, 'oneOf', oneOf);
  replaceKeyword(ajv, 'required', required);
  replaceKeyword(ajv, 'dependentRequired', (cxt) => requiredBy(cxt, cxt.schema));
  replaceKeyword(ajv, 'dependentSchemas', (cxt) => schemasBy(cxt, cxt.schema));
  replaceKeyword(ajv, 'dependencies', (cxt) => {
    const lists: Record<string, string[]> = {};
    const schemas: Schemas = {};
    for (const [name, part] of Object.entries<string[] | AnySchema>(cxt.schema))
      if (Array.isArray(part)) lists[name] = part;
      else schemas[name] = part;
    requiredBy(cxt, lists);
    schemasBy(cxt, schemas);
  });
}

interface Part {
  when?: Code;
  subschema: Subschema;
  merge?(part: Subcontext, valid: Name): void;
}

/** Every part must be valid. */
function checkAll(cxt: KeywordCxt, parts: Part[]): void {
  if (parts.length === 0) return;
  const { gen, allErrors } = cxt;
  const valid = gen.var('valid', true);
  for (const { when, subschema, merge } of parts) {
    const check = () => {
      const part = cxt.subschema(subschema, valid);
      merge?.(part, valid);
    };
    if (allErrors && !when) check();
    else gen.if(allErrors || !when ? (when ?? valid) : and(valid, when), check);
  }
  cxt.ok(valid);
}

function properties(cxt: KeywordCxt): void {
  const { gen, schema, data, it, keyword } = cxt;
  const names = Object.keys(schema);
  if (it.opts.unevaluated && names.length > 0 && it.props !== true)
    it.props = mergeEvaluated.props(gen, toHash(names), it.props);
  const checked = names.filter((name) => !alwaysValidSchema(it, schema[name]));
  const groups = checked.length > wideFrom ? groupsOf(schema, checked) : [];
  if (groups.length > 0) checkGroups(cxt, groups);
  const grouped = new Set(groups.flat());
  checkAll(
    cxt,
    checked
      .filter((name) => !grouped.has(name))
      .map((name) => ({
        when: propertyInData(gen, data, name, true),
        subschema: { keyword, schemaProp: name, dataProp: name },
      })),
  );
}

/** The largest groups of names with the same schema. */
function groupsOf(schemas: Schemas, names: string[]): string[][] {
  const groups = Map.groupBy(names, (name) => JSON.stringify(schemas[name]));
  return [...groups.values()]
    .filter(({ length }) => length >= leastShared)
    .sort((a, b) => b.length - a.length)
    .slice(0, mostGroups);
}

/** Looks up each key of the payload: a thousand columns of numbers share one check, and absent ones take no time. */
function checkGroups(cxt: KeywordCxt, groups: string[][]): void {
  const { gen, data, keyword, allErrors } = cxt;
  const entries = groups.flatMap((names, group) => names.map((name) => [name, group]));
  const groupOf = gen.scopeValue('obj', { ref: entries, code: _`new Map(${stringify(entries)})` });
  const valid = gen.var('valid', true);
  gen.forIn('key', data, (key) => {
    const found = gen.const('group', _`${groupOf}.get(${key})`);
    for (const [group, [schemaProp]] of groups.entries())
      gen.if(_`${found} === ${group}`, () => {
        cxt.subschema({ keyword, schemaProp, dataProp: key, dataPropType: Type.Str }, valid);
        if (!allErrors) gen.if(not(valid), () => gen.break());
      });
  });
  cxt.ok(valid);
}

function tuple(cxt: KeywordCxt): void {
  const { gen, schema, data, it, keyword } = cxt;
  if (it.opts.unevaluated && it.items !== true) it.items = mergeEvaluated.items(gen, schema.length, it.items);
  const length = gen.const('len', _`${data}.length`);
  const places = [...schema.keys()].filter((i) => !alwaysValidSchema(it, schema[i]));
  checkAll(
    cxt,
    places.map((i) => ({
      when: _`${length} > ${i}`,
      subschema: { keyword, schemaProp: i, dataProp: i },
    })),
  );
}

function allOf(cxt: KeywordCxt): void {
  const { schema, it, keyword } = cxt;
  const places = [...schema.keys()].filter((i) => !alwaysValidSchema(it, schema[i]));
  checkAll(
    cxt,
    places.map((i) => ({
      subschema: { keyword, schemaProp: i },
      merge: (part) => cxt.mergeEvaluated(part),
    })),
  );
}

function schemasBy(cxt: KeywordCxt, schemas: Schemas): void {
  const { gen, data, it, keyword } = cxt;
  const names = Object.keys(schemas).filter((name) => !alwaysValidSchema(it, schemas[name] as AnySchema));
  checkAll(
    cxt,
    names.map((name) => ({
      when: propertyInData(gen, data, name, true),
      subschema: { keyword, schemaProp: name },
      merge: (part, valid) => cxt.mergeValidEvaluated(part, valid),
    })),
  );
}

function required(cxt: KeywordCxt): void {
  const valid = cxt.gen.var('valid', true);
  reportMissing(cxt, cxt.schema, valid);
  cxt.ok(valid);
}

/** `dependents`: the names that a payload must have if it has the key. */
function requiredBy(cxt: KeywordCxt, dependents: Record<string, string[]>): void {
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

import { _, type Ajv, type AnySchema, type Code, type KeywordCxt, Name, stringify } from 'ajv';
import { and, not, or } from 'ajv/dist/compile/codegen/index.js';
import { alwaysValidSchema, mergeEvaluated, Type, toHash } from 'ajv/dist/compile/util.js';
import { checkReportMissingProp, noPropertyInData, propertyInData } from 'ajv/dist/vocabularies/code.js';
import { replaceKeyword } from './replace-keyword.ts';

type Schemas = Record<string, AnySchema>;
type Subschema = Parameters<KeywordCxt['subschema']>[0];
type Subcontext = ReturnType<KeywordCxt['subschema']>;

/** Generating a condition takes quadratic time. */
const namesACondition = 50;

/** Above this number of properties, those with the same schema share their code; groups smaller than this do not. */
const wideFrom = 100;
const leastShared = 10;
/** Each key of the payload is compared with the number of each group. */
const mostGroups = 20;

/**
 * Generates the parts of a keyword one after the other. Ajv's own code nests each part in the one before: its size is
 * quadratic, a tuple shorter than the schema's skips the keywords that follow, and the empty name is not required.
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

/** The largest groups of names whose schemas are the same. */
function groupsOf(schemas: Schemas, names: string[]): string[][] {
  const groups = Map.groupBy(names, (name) => JSON.stringify(schemas[name]));
  return [...groups.values()]
    .filter(({ length }) => length >= leastShared)
    .sort((a, b) => b.length - a.length)
    .slice(0, mostGroups);
}

/** Looks up each key of the payload, so that a thousand columns of numbers take one check and the time of those that are there. */
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

/**
 * `onContained` is told of each item that conforms; without it no more items are looked at than it takes. Ajv's own code, where
 * it stands in a loop, takes the verdict on an empty array from the turn before.
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

/** The parts after the first that is valid count only for what they evaluate. */
function anyOf(cxt: KeywordCxt): void {
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

function oneOf(cxt: KeywordCxt): void {
  const { gen, schema, keyword } = cxt;
  const count = gen.let('count', 0);
  const passing = gen.let('passing', null);
  const partValid = gen.name('_valid');
  cxt.setParams({ passing });
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

function required(cxt: KeywordCxt): void {
  const valid = cxt.gen.var('valid', true);
  reportMissing(cxt, cxt.schema, valid);
  cxt.ok(valid);
}

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

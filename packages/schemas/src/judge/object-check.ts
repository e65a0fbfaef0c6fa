import { spend } from '../budget.ts';
import type { Schema } from '../schema.ts';
import { accepts, type Check, type Rules } from './accepts.ts';
import type { Parts } from './rules-of.ts';

export const objectKeywords = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'required'],
  ...['minProperties', 'maxProperties', 'dependencies', 'dependentRequired', 'dependentSchemas'],
]);

interface Property {
  rules: Rules | undefined;
  /** Whether `properties` has it. */
  isNamed: boolean;
  isRequired: boolean;
}

type Members = Record<string, unknown>;

const stepsAKey = 2;

/** The check of all keywords for objects but `unevaluatedProperties`. One loop over the keys also counts those that are required. */
export function objectCheck(
  schema: Schema,
  { rulesUnlessAny: rulesOf, pattern: patternOf }: Parts,
): Check<Members> {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema as Record<string, number>;
  const required = new Set(schema.required as string[] | undefined);
  const requiredCount = required.size;
  const properties = propertiesOf(schema, required, rulesOf);
  const patterns = entriesOf(schema.patternProperties).map(([source, part]) => ({
    pattern: patternOf(source),
    rules: rulesOf(part),
  }));
  const others = rulesOf(schema.additionalProperties);
  // A match of the others makes a difference only to `additionalProperties` and `unevaluatedProperties`.
  const ruled = others ? patterns : patterns.filter(({ rules }) => rules !== undefined);
  const evaluatesAll = schema.additionalProperties !== undefined;
  const names = rulesOf(schema.propertyNames);
  const dependents = dependentsOf(schema, rulesOf);

  return (value, seen) => {
    if (seen !== undefined && evaluatesAll) seen.allKeys = true;
    const tested = seen === undefined ? ruled : patterns;
    let missing = requiredCount;
    let count = 0;
    for (const key in value) {
      spend(stepsAKey);
      count += 1;
      const property = properties.get(key);
      if (property?.isRequired) missing -= 1;
      if (property?.rules && !accepts(property.rules, value[key], undefined)) return false;
      let isOther = !property?.isNamed;
      for (const { pattern, rules } of tested) {
        if (!pattern.test(key)) continue;
        isOther = false;
        if (rules && !accepts(rules, value[key], undefined)) return false;
      }
      if (seen !== undefined && !isOther) seen.addKey(key);
      if (isOther && others && !accepts(others, value[key], undefined)) return false;
      if (names && !accepts(names, key, undefined)) return false;
    }
    if (missing > 0 || count < minProperties || count > maxProperties) return false;
    spend(dependents.length);
    for (const holds of dependents) if (!holds(value, seen)) return false;
    return true;
  };
}

const entriesOf = (parts: unknown) => Object.entries((parts ?? {}) as Members);

function propertiesOf(
  schema: Schema,
  required: Set<string>,
  rulesOf: Parts['rulesUnlessAny'],
): Map<string, Property> {
  const properties = new Map<string, Property>();
  for (const name of required) properties.set(name, { rules: undefined, isNamed: false, isRequired: true });
  for (const [name, part] of entriesOf(schema.properties))
    properties.set(name, { rules: rulesOf(part), isNamed: true, isRequired: required.has(name) });
  return properties;
}

/** What must hold of an object that has a property: it has others too, or conforms to a schema. */
function dependentsOf(schema: Schema, rulesOf: Parts['rulesUnlessAny']): Check<Members>[] {
  const { dependencies, dependentRequired, dependentSchemas } = schema;
  return [dependencies, dependentRequired, dependentSchemas].flatMap(entriesOf).map(([name, needs]) => {
    if (Array.isArray(needs))
      return (value) => {
        if (!Object.hasOwn(value, name)) return true;
        spend(needs.length);
        return needs.every((need) => Object.hasOwn(value, need));
      };
    const rules = rulesOf(needs);
    return (value, seen) => rules === undefined || !Object.hasOwn(value, name) || accepts(rules, value, seen);
  });
}

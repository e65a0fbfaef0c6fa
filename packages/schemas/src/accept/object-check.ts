import { budget, runtime } from '../runtime.ts';
import type { Schema } from '../schema.ts';
import { accepts, type Check, type Parts, type Rules } from './accepts.ts';

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

/** The check of all keywords for objects. One loop over the keys also counts those that are required. */
export function objectCheck(schema: Schema, { rulesOf, pattern: patternOf }: Parts): Check<Members> {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema as Record<string, number>;
  const required = new Set(schema.required as string[] | undefined);
  const requiredCount = required.size;
  const properties = propertiesOf(schema, required, rulesOf);
  const patterns = entriesOf(schema.patternProperties).map(([source, part]) => ({
    pattern: patternOf(source),
    rules: rulesOf(part),
  }));
  const others = rulesOf(schema.additionalProperties);
  const names = rulesOf(schema.propertyNames);
  const dependents = dependentsOf(schema, rulesOf);

  return (value) => {
    // Pays for the loop.
    const { length } = runtime.keys(value);
    if (length < minProperties || length > maxProperties) return false;
    let missing = requiredCount;
    for (const key in value) {
      const property = properties.get(key);
      if (property?.isRequired) missing -= 1;
      if (property?.rules && !accepts(property.rules, value[key])) return false;
      let isOther = !property?.isNamed;
      for (const { pattern, rules } of patterns) {
        if (!pattern.test(key)) continue;
        isOther = false;
        if (rules && !accepts(rules, value[key])) return false;
      }
      if (isOther && others && !accepts(others, value[key])) return false;
      if (names && !accepts(names, key)) return false;
    }
    return missing === 0 && (dependents.length === 0 || dependents.every((holds) => holds(value)));
  };
}

const entriesOf = (parts: unknown) => Object.entries((parts ?? {}) as Members);

function propertiesOf(
  schema: Schema,
  required: Set<string>,
  rulesOf: Parts['rulesOf'],
): Map<string, Property> {
  const properties = new Map<string, Property>();
  for (const name of required) properties.set(name, { rules: undefined, isNamed: false, isRequired: true });
  for (const [name, part] of entriesOf(schema.properties))
    properties.set(name, { rules: rulesOf(part), isNamed: true, isRequired: required.has(name) });
  return properties;
}

/** What must hold of an object that has a property: it has others too, or conforms to a schema. */
function dependentsOf(schema: Schema, rulesOf: Parts['rulesOf']): Check<Members>[] {
  const { dependencies, dependentRequired, dependentSchemas } = schema;
  return [dependencies, dependentRequired, dependentSchemas].flatMap(entriesOf).map(([name, needs]) => {
    if (Array.isArray(needs))
      return (value) => {
        budget.spend(1 + needs.length);
        return !Object.hasOwn(value, name) || needs.every((need) => Object.hasOwn(value, need));
      };
    const rules = rulesOf(needs);
    return (value) => rules === undefined || !Object.hasOwn(value, name) || accepts(rules, value);
  });
}

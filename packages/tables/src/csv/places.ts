import { oncePerSchema } from '@sluice/schemas/fields/schema-fields.ts';
import { valueTypes } from '@sluice/schemas/fields/value-types.ts';
import type { Schema } from '@sluice/schemas/schema.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import { everyType } from '@sluice/schemas/types.ts';

export interface CsvPlace {
  /** The types that the schema allows, as bits. */
  allowed: number;
  isRequired: boolean;
  /** The place of a key of the object at this place. */
  below(key: string): CsvPlace;
}

/**
 * Schemas that are visited for all places together.
 *
 * It is no limit of time: each worker must find the same places for its part of a file.
 */
const maxSteps = 250_000;

const anywhere: CsvPlace = { allowed: everyType, isRequired: false, below: () => anywhere };

/** The place of the payload itself. Beyond `maxSteps` every type is allowed. */
export function rootPlace(root: Schema): CsvPlace {
  const { typesOf, partsOf } = valueTypes(root);
  const requiredBy = oncePerSchema(
    ({ required }) => new Set<unknown>(Array.isArray(required) ? required : []),
  );
  let steps = 0;

  function placeOf(schemas: Schema[], isRequired: boolean): CsvPlace {
    const allowed = schemas.reduce((common, schema) => common & typesOf(schema), everyType);
    // Only a place with keys below it needs its parts.
    let parts: Set<Schema> | undefined;
    function below(key: string): CsvPlace {
      if (steps > maxSteps) return anywhere;
      if (!parts) {
        parts = partsOf(schemas);
        steps += parts.size;
      }
      steps += parts.size;
      const here = [...parts];
      return placeOf(
        here.map((part) => memberOf(part, key)).filter(isObject),
        here.some((part) => requiredBy(part).has(key)),
      );
    }
    return { allowed, isRequired, below };
  }

  return placeOf([root], true);
}

function memberOf({ properties, additionalProperties }: Schema, key: string): unknown {
  return isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
}

import { oncePerSchema } from '@sluice/schemas/fields/once-per-schema.ts';
import { everyType, valueTypes } from '@sluice/schemas/fields/value-types.ts';
import { isObject } from '@sluice/schemas/is-object.ts';
import type { Schema } from '@sluice/schemas/parse-schema.ts';

/** What a schema says of one place in a payload. */
export interface Place {
  /** The types that it does not rule out, as bits. */
  allowed: number;
  /** The object around it must have it. */
  isRequired: boolean;
  /** The place of a key of the object that is here. */
  below(key: string): Place;
}

/**
 * Schemas looked at for all places together: many can apply to each. It counts schemas and not time, so that
 * whoever takes a part of a file finds the same.
 */
const maxSteps = 250_000;

const anywhere: Place = { allowed: everyType, isRequired: false, below: () => anywhere };

/** The place of the payload itself in a JSON Schema. Where it is hard to say what is allowed at one, everything is. */
export function rootPlace(root: Schema): Place {
  const { typesOf, partsOf } = valueTypes(root);
  const requiredBy = oncePerSchema(
    ({ required }) => new Set<unknown>(Array.isArray(required) ? required : []),
  );
  let steps = 0;

  function placeOf(schemas: Schema[], isRequired: boolean): Place {
    const allowed = schemas.reduce((common, schema) => common & typesOf(schema), everyType);
    // Only those with places below them need it.
    let parts: Set<Schema> | undefined;
    function below(key: string): Place {
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

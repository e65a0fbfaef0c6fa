/** Keywords whose value is a schema, or a list of schemas. */
export const inSchema = new Set([
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/** Keywords whose value maps names, chosen by the owner, to schemas. */
export const inNamedSchemas = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Keywords whose value Ajv can be told to read from the payload, as {"$data": …}. */
export const takesData = new Set([
  'const',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'required',
  'uniqueItems',
]);

export const references = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

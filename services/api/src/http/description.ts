/** A JSON Schema. */
export type Schema = Record<string, unknown>;

interface Media {
  schema: Schema;
  example?: unknown;
}

export interface Body {
  description?: string;
  headers?: object;
  content?: Record<string, Media>;
}

export interface Operation {
  operationId?: string;
  security?: Record<string, unknown>[];
  parameters?: { in: string }[];
  requestBody?: Body;
  responses: Record<string, Body>;
}

/** The parts of an OpenAPI document that are changed. */
export interface Description {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: object; responses?: object };
}

export const mapValues = <From, To>(
  record: Record<string, From>,
  change: (value: From, key: string) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));

export const mapOperations = (
  description: Description,
  change: (path: string, method: string, operation: Operation) => Operation,
): Description => ({
  ...description,
  paths: mapValues(description.paths ?? {}, (item, path) =>
    mapValues(item, (operation, method) => change(path, method, operation)),
  ),
});

/** Why a schema is refused. `message` says what and where, with a JSON Pointer into the schema. */
export type SchemaRefusal = { message: string };

/** Thrown inside this folder only, where a refusal is found deep in a walk or in Ajv. */
export class Refused extends Error {}

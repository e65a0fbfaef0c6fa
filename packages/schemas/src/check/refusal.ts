/**
 * Why a schema is refused: what and where, with a JSON Pointer into the schema. Thrown inside this folder only. That of a pattern
 * completes "the pattern …" until its place is known.
 */
export class Refused extends Error {}

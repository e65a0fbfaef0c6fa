/**
 * Why a schema is refused: what and where, with a JSON Pointer into the schema. Thrown inside this folder only. That of a pattern
 * completes "the pattern …" until its place is known; then comes `advice`, what to do instead.
 */
export class Refused extends Error {
  readonly advice: string;

  constructor(message: string, advice = '') {
    super(message);
    this.advice = advice && `; ${advice}`;
  }
}

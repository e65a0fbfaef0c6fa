import { readPackageFile } from '../package-file.ts';

/** One flight per record: delays that US airlines reported for the first quarter of 2001. */
export function* readFlights(): Generator<Record<string, unknown>> {
  yield* JSON.parse(readPackageFile('flights-20k.json'));
}

import { readPackageFile } from '../package-file.ts';

/** One film per record, with the errors of the source: titles that are numbers, wrongly decoded letters. */
export function* readMovies(): Generator<Record<string, unknown>> {
  yield* JSON.parse(readPackageFile('movies.json'));
}

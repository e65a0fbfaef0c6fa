import { readFileSync } from 'node:fs';

/** The text of a data file of the package vega-datasets, such as `movies.json`. */
export function readPackageFile(name: string): string {
  return readFileSync(new URL(`../data/${name}`, import.meta.resolve('vega-datasets')), 'utf8');
}

import { readPackageFile } from '../package-file.ts';

/** One GeoJSON feature per earthquake: a week of the feed of the US Geological Survey. */
export function* readEarthquakes(): Generator<Record<string, unknown>> {
  yield* JSON.parse(readPackageFile('earthquakes.json')).features;
}

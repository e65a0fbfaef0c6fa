import { readFileSync } from 'node:fs';
import { readEarthquakes } from './earthquakes/records.ts';
import { readFlights } from './flights/records.ts';
import { readMovies } from './movies/records.ts';

export interface Dataset {
  /** The folder, and the name of the exported file. */
  name: string;
  /** The name of the application. */
  title: string;
  /** The JSON Schema as text. */
  schema: string;
  read(): Iterable<Record<string, unknown>>;
}

const readSchema = (name: string) => readFileSync(new URL(`${name}/schema.json`, import.meta.url), 'utf8');

export const datasets: Dataset[] = [
  { name: 'earthquakes', title: 'Earthquakes', read: readEarthquakes },
  { name: 'movies', title: 'Movies', read: readMovies },
  { name: 'flights', title: 'Flights', read: readFlights },
].map((dataset) => ({ ...dataset, schema: readSchema(dataset.name) }));

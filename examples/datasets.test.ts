import { expect, it } from 'vitest';
import { datasets } from './datasets.ts';

const expected = { earthquakes: 1_707, movies: 3_201, flights: 20_000 };

it.each(Object.entries(expected))('reads every record of %s', (name, count) => {
  const records = [...read(name)];
  expect(records).toHaveLength(count);
  expect(records.every((record) => typeof record === 'object' && record !== null)).toBe(true);
});

it('leaves earthquakes nested', () => {
  expect([...read('earthquakes')][0]).toMatchObject({
    id: 'ci37868143',
    properties: { mag: 2, felt: null, ids: ',ci37868143,' },
    geometry: { coordinates: [-118.6671667, 34.4945, 26.49] },
  });
});

it('leaves titles of movies as the source has them', () => {
  const titles = [...read('movies')].map(({ Title }) => Title);
  expect(titles.filter((title) => typeof title === 'number')).toHaveLength(9);
  expect(titles).toContain(null);
  expect(titles).toContain('First Love, Last Rites');
  expect(titles).toContain('Alien³');
});

it.each(datasets)('declares exactly the properties that $name have', ({ schema, read }) => {
  const declared = Object.keys(JSON.parse(schema).properties).sort();
  const found = new Set([...read()].flatMap(Object.keys));
  expect([...found].sort()).toEqual(declared);
});

function read(name: string) {
  return datasets.find((dataset) => dataset.name === name)?.read() ?? [];
}

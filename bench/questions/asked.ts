import type { Document } from 'mongodb';

export interface AskedQuestion {
  name: string;
  sql: string;
  /** MongoDB is asked the same. */
  stages: Document[];
  atMostMs: number;
}

/** Filters of lists, and the most that a first page with its total may take, in ms. */
export function typicalFilters(nested: boolean) {
  const note = nested ? 'measured.note.text' : 'note';
  const latitude = nested ? 'place.position.latitude' : 'latitude';
  return {
    atMostMs: 300,
    filters: {
      'a value that few have': { id: 'reading-000500' },
      'a value that all have': { kind: 'hourly' },
      'a range that none is in': { [latitude]: { gte: 60 } },
      'a range that all are in, and a value': { [latitude]: { lt: 60 }, id: 'reading-000500' },
      'a text that contains another': { [note]: { contains: 'slowly clear night north' } },
      'a field that nobody has': { missing: { exists: true } },
    },
  };
}

/** Orders of lists, as queries. */
export function typicalSorts(nested: boolean) {
  const latitude = nested ? 'place.position.latitude' : 'latitude';
  const kind = encodeURIComponent(JSON.stringify({ kind: 'hourly' }));
  return [
    { name: 'greatest numbers', query: `sort=-${latitude}` },
    { name: 'least texts', query: 'sort=/id' },
    { name: 'the 9,951st of a filter', query: `sort=${latitude}&start=9950&filter=${kind}` },
  ];
}

/** Typical questions about `payloadOf`. */
export function typicalQuestions(nested: boolean): AskedQuestion[] {
  const note = nested ? 'measured.note.text' : 'note';
  const latitude = nested ? 'place.position.latitude' : 'latitude';
  return [
    {
      name: 'count by day',
      sql: `select date_trunc('day', "createdAt") as day, count(*) from entries group by day order by day`,
      stages: [{ $group: { _id: '$payload.at', count: { $sum: 1 } } }],
      atMostMs: 500,
    },
    {
      name: 'top ten values',
      sql: `select "${note}", count(*) as n from entries group by all order by n desc limit 10`,
      stages: [{ $sortByCount: `$payload.${note}` }, { $limit: 10 }],
      atMostMs: 500,
    },
    {
      name: 'average by kind',
      sql: `select kind, avg("${latitude}") from entries group by kind`,
      stages: [{ $group: { _id: '$payload.kind', mean: { $avg: `$payload.${latitude}` } } }],
      atMostMs: 500,
    },
    {
      name: 'distinct values',
      sql: 'select count(distinct "/id") from entries',
      stages: [{ $group: { _id: '$payload.id' } }, { $count: 'n' }],
      atMostMs: 500,
    },
    {
      name: 'newest 50 of a filter',
      sql: `select "createdAt", id, payload from entries where "/id" = 'reading-000500' order by id desc limit 50`,
      stages: [{ $match: { 'payload.id': 'reading-000500' } }, { $sort: { _id: -1 } }, { $limit: 50 }],
      atMostMs: 300,
    },
  ];
}

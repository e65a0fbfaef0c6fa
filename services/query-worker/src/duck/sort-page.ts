import type { Reply } from './ask.ts';
import { sourceOf } from './fields/one-source.ts';
import { type EntriesAsk, overEntries } from './fields/over-entries.ts';
import { rowsOf } from './fields/selection.ts';
import type { SourceKind } from './fields/sources.ts';
import { jsonTypes } from './fields/values.ts';
import type { PageAnswer } from './page.ts';

/** A page of entries in the order of a field. */
export interface SortedAsk extends EntriesAsk {
  path: string[];
  descending: boolean;
  start: number;
  limit: number;
}

/** Finds the ids of a page as JSON, and counts all entries that match. Entries without a scalar come last. */
export const sortPage = ({
  path,
  descending,
  start,
  limit,
  ...asked
}: SortedAsk): Promise<Reply<PageAnswer>> =>
  overEntries(asked, async (connection, selection) => {
    const rows = async (sql: string) => (await connection.runAndReadAll(sql, selection.params)).getRows();
    const [[total]] = (await rows(`select count(*)::double from entries where ${selection.where}`)) as [
      [number],
    ];
    if (start >= total) return { ids: [], total };
    const { source, members } = await sourceOf(connection, asked.files, path);
    const direction = descending ? 'desc' : 'asc';
    const order = orderOf(source.kind).map((sql) => `${sql} ${direction} nulls last`);
    const found = await rows(
      `select id from (select id, ${source.value} as value from ${rowsOf(selection, members)})
       order by ${order.join(', ')}, id desc limit ${limit} offset ${start}`,
    );
    return { ids: found.map(([id]) => String(id)), total };
  });

/** SQL that sorts the column `value`. Numbers come before texts, and texts before booleans. */
function orderOf(kind: SourceKind): string[] {
  if (kind !== 'json') return ['value'];
  const is = (type: string) => jsonTypes[type]?.('value');
  return [
    `case when ${is('number')} then 0 when ${is('string')} then 1 when ${is('boolean')} then 2 end`,
    `case when ${is('number')} then value::double end`,
    `case when ${is('string')} then value ->> '$' when ${is('boolean')} then value end`,
  ];
}

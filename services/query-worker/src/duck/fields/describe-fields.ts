import type { DuckDBConnection } from '@duckdb/node-api';
import { describeValues, type FieldSummary } from './describe-values.ts';
import { readColumns } from './file-columns.ts';
import { type Grouped, groupValues, type Selection } from './groups.ts';
import { decides, isRestName, ofColumn, ofPayload } from './sources.ts';
import { tellTimes } from './tell-times.ts';

/** Describes each field that has a column in the files. */
export async function describeFields(
  connection: DuckDBConnection,
  files: string[],
  selection: Selection,
): Promise<FieldSummary[]> {
  const columns = await readColumns(connection, files);
  const isDecided = decides(columns);
  const byColumn = await groupValues(connection, selection, {
    sources: columns.filter(isDecided).map(ofColumn),
  });
  const clear: Grouped[] = [];
  for (const one of byColumn) if (!(await mayBeJson(connection, one))) clear.push(one);
  const names = new Set(clear.map(({ source }) => source.name));
  const unclear = columns.filter(({ name }) => !names.has(name));
  const all = [...clear, ...(await groupValues(connection, selection, ofPayload(unclear)))];
  const found = new Map<string, FieldSummary>();
  for (const { source, table } of all) {
    const summary = await describeValues(connection, source, table);
    const isTime = source.kind === 'time';
    found.set(source.name, isTime ? await tellTimes(connection, selection, source, summary) : summary);
  }
  return columns
    .map(({ name }) => found.get(name) as FieldSummary)
    .filter(({ path, null_share }) => !isRestName(path) || null_share < 1);
}

/** Whether a column of texts has some that can be JSON: then only the payload tells `5` from `"5"`. */
async function mayBeJson(connection: DuckDBConnection, { source, table }: Grouped): Promise<boolean> {
  if (source.kind !== 'string') return false;
  const read = await connection.runAndReadAll(
    `select 1 from ${table} where left(value, 1) in (${[...'-0123456789tf[{'].map((start) => `'${start}'`).join(', ')})
     and json_valid(value) limit 1`,
  );
  return read.currentRowCount > 0;
}

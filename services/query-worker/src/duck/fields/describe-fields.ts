import type { DuckDBConnection } from '@duckdb/node-api';
import { toRefusal } from '../answer.ts';
import { describeFew } from './few-values.ts';
import { type Described, type FieldSummary, toSummary } from './field-summary.ts';
import { countEntries, readColumns } from './file-columns.ts';
import { describeMany } from './many-values.ts';
import { findManyValued } from './sample.ts';
import type { RowSelection } from './selection.ts';
import { type FieldSource, isRestName, ofPayload, type Sources, toSources } from './sources.ts';
import { tellTimes } from './tell-times.ts';

/** Fields for which entries are read together. Each group of values takes memory, even of a few entries. */
const mostAtOnce = 60;
const mostGrouped = 20;
/** All values of so many entries can be counted. */
const fewEntries = 10_000;

/** Describes each field that has a column in the files. */
export async function describeFields(
  connection: DuckDBConnection,
  files: string[],
  selection: RowSelection,
): Promise<FieldSummary[]> {
  if (files.length === 0) return [];
  const columns = await readColumns(connection, files);
  const counted = await countEntries(connection, files);
  const entries = counted.reduce((sum, file) => sum + file.entries, 0);

  async function describe({ sources, members }: Sources): Promise<Described[]> {
    const isSampled = entries > fewEntries;
    const fields = isSampled
      ? await findManyValued(connection, counted, selection, { sources, members })
      : [];
    const many = new Set(fields.map(({ source }) => source));
    const few = sources.filter((source) => !many.has(source));
    const described = await describeMany(connection, selection, { fields, members, entries });
    for (const some of inParts(few, mostGrouped)) described.push(...(await describeGroups(some, members)));
    return described;
  }

  /** The sample may have missed that a field has many values. */
  async function describeGroups(some: FieldSource[], members: string): Promise<Described[]> {
    try {
      return await describeFew(connection, selection, { sources: some, members });
    } catch (error) {
      if (!toRefusal((error as Error).message, '').excess) throw error;
      const [source] = some as [FieldSource];
      const fields = [{ source, frequent: [] }];
      if (some.length === 1) return describeMany(connection, selection, { fields, members, entries });
      const [half, other] = inParts(some, Math.ceil(some.length / 2)) as [FieldSource[], FieldSource[]];
      return [...(await describeGroups(half, members)), ...(await describeGroups(other, members))];
    }
  }

  const { sources, unclear } = toSources(columns);
  const parts: Sources[] = [
    ...inParts(sources, mostAtOnce).map((some) => ({ sources: some, members: 'null' })),
    ...inParts(unclear, mostAtOnce).map(ofPayload),
  ];
  const all: Described[] = [];
  for (const part of parts) all.push(...(await describe(part)));
  const found = new Map<string, FieldSummary>();
  for (const one of all) {
    const times = one.source.kind === 'time' ? await tellTimes(connection, selection, one) : {};
    found.set(one.source.name, { ...toSummary(one), ...times });
  }
  return columns
    .map(({ name }) => found.get(name) as FieldSummary)
    .filter(({ path, null_share }) => !isRestName(path) || null_share < 1);
}

const inParts = <Item>(items: Item[], length: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / length) }, (_, at) =>
    items.slice(at * length, (at + 1) * length),
  );

import type { Store } from '@sluice/jobs/connect.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import { parseSchema, type Schema } from '@sluice/schemas/schema.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { type Column, columnsOf } from '@sluice/tables/columns.ts';
import type { Dates } from '../formats/parquet/typed-tree.ts';

/** What is known of the entries of an export before they are read. */
export interface Known {
  /** The versions of the schema that they were validated with, oldest first. */
  schemas: [Schema, ...Schema[]];
  columns: Column[];
}

/** Jobs of before there were versions may have parts with dates as text. */
export const datesOf = ({ version }: ExportJob): Dates => (version === undefined ? 'text' : 'typed');

/** The same ones each time for a job, whatever was published since. */
export async function knownColumns(
  { fields, schemas }: Pick<Store, 'fields' | 'schemas'>,
  application: ApplicationRecord,
  { version = 1, leafCount, hasRest, options: { meta } }: ExportJob,
): Promise<Known> {
  const versions: Schema[] = [];
  for await (const found of schemas.list(application))
    if (found.version <= version) versions.unshift(parseSchema(found.rawSchema));
  const { pointers } = await fields.of(application.id);
  const [first] = versions as [Schema];
  return {
    schemas: versions as Known['schemas'],
    columns: columnsOf(first, pointers.slice(0, leafCount), { hasRest, meta }),
  };
}

import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { listed } from '@sluice/shared/sql-text.ts';
import { type AskedFiles, limits } from './ask.ts';

/** The entries without deleted ones, which is all that a question sees. */
function viewOf({ files, deleted }: Pick<AskedFiles, 'files' | 'deleted'>): string {
  if (files.length === 0)
    return `select null::timestamptz "createdAt", null::varchar id, null::integer schema_version,
      null::varchar "source", null::varchar "key", null::varchar payload where false`;
  const all = `select * from read_parquet(${listed(files)}, union_by_name = true, hive_partitioning = false)`;
  return deleted.length === 0
    ? all
    : `${all} where id not in (select id from read_parquet(${listed(deleted)}))`;
}

/** A database that reads these files alone, and whose settings are locked. */
export async function open({ folder, ...asked }: AskedFiles): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: limits.memory,
    temp_directory: join(folder, 'spilled'),
    max_temp_directory_size: limits.disk,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  for (const sql of [
    "set TimeZone = 'UTC'",
    'set errors_as_json = true',
    'set parquet_metadata_cache = true',
    `set allowed_paths = ${listed([...asked.files, ...asked.deleted])}`,
    `set allowed_directories = ${listed([folder])}`,
    'set enable_external_access = false',
    'set lock_configuration = true',
  ])
    await connection.run(sql);
  return connection;
}

/** The same with the view `entries`. */
export async function openEntries(asked: AskedFiles): Promise<DuckDBConnection> {
  const connection = await open(asked);
  await connection.run(`create view entries as ${viewOf(asked)}`);
  return connection;
}

import type { DuckDBConnection } from '@duckdb/node-api';
import { readColumns } from './file-columns.ts';
import { type FieldSource, ofPayload, type SourceKind, type Sources, toSources } from './sources.ts';

/** Where the values of a field come from: its column if that says what they are and is of a `wanted` kind, else the payloads. */
export async function sourceOf(
  connection: DuckDBConnection,
  files: string[],
  path: string[],
  wanted: (kind: SourceKind) => boolean = () => true,
): Promise<{ source: FieldSource } & Pick<Sources, 'members'>> {
  const { sources } = toSources(await readColumns(connection, files));
  const name = JSON.stringify(path);
  const own = sources.find((source) => JSON.stringify(source.path) === name && wanted(source.kind));
  if (own) return { source: own, members: 'null' };
  const read = ofPayload([{ name, path }]);
  return { source: read.sources[0] as FieldSource, members: read.members };
}

import type { Schemas } from '../../api/client.ts';

type Archive = Pick<Schemas['Archive'], 'to' | 'format'>;

/**
 * `reach`: opens the bucket. `all`: all rows. `present`: the rows without deleted entries; fails while no deletion was archived.
 * `either`: the same, and works without deletions. `days`: counts.
 */
export type ReadStep = 'reach' | 'all' | 'present' | 'either' | 'days';

export interface ReadLines {
  step: ReadStep;
  code: string;
}

/** Where the files of an application are, as people say it. The path of the operator's folder is not known here. */
export const placeOf = ({ to }: Pick<Archive, 'to'>, domain: string): string =>
  to.kind === 'folder' ? `ARCHIVE_FOLDER/${domain}` : `s3://${nameIn(to, domain)}`;

const nameIn = ({ bucket, prefix }: Archive['to'], domain: string): string =>
  [bucket, prefix, domain].filter((part) => part !== undefined).join('/');

/** A name of a prefix may have a star, which is not a pattern. */
const exact = (name: string) => name.replaceAll('*', '[*]');

const sqlText = (text: string) => `'${text.replaceAll("'", "''")}'`;

const usual = 'union_by_name = true, hive_partitioning = true';
const duckReaders: Record<Archive['format'], (files: string) => string> = {
  parquet: (files) => `read_parquet(${files}, ${usual})`,
  csv: (files) => `read_csv(${files}, ${usual}, types = {'id': 'VARCHAR'})`,
  ndjson: (files) =>
    `read_json(${files}, ${usual}, columns = {'id': 'VARCHAR', 'createdAt': 'TIMESTAMP', 'payload': 'JSON'})`,
};

function duckSecret({ endpoint, region = 'us-east-1', path_style }: Archive['to']): string {
  const options = [
    "TYPE s3, KEY_ID 'KEY', SECRET 'SECRET'",
    `REGION '${region}'`,
    ...(endpoint === undefined ? [] : [`ENDPOINT ${sqlText(endpoint.replace(/^https?:\/\/|\/$/g, ''))}`]),
    ...((path_style ?? endpoint !== undefined) ? ["URL_STYLE 'path'"] : []),
    ...(endpoint?.startsWith('http:') ? ['USE_SSL false'] : []),
  ];
  return `INSTALL httpfs; LOAD httpfs;\nCREATE SECRET (${options.join(', ')});`;
}

function duckdb({ to, format }: Archive, domain: string): ReadLines[] {
  const place = exact(to.kind === 'folder' ? domain : placeOf({ to }, domain));
  const rows = duckReaders[format](sqlText(`${place}/date=*/*.${format}`));
  const view = `CREATE OR REPLACE VIEW entries AS\n  FROM ${rows}`;
  const deleted = `read_parquet(${sqlText(`${place}/_deleted/*.parquet`)})`;
  return [
    ...(to.kind === 's3' ? [{ step: 'reach' as const, code: duckSecret(to) }] : []),
    { step: 'all', code: `${view};` },
    { step: 'present', code: `${view}\n  ANTI JOIN (FROM ${deleted}) USING (id);` },
    { step: 'days', code: 'SELECT date, count(*) AS entries FROM entries GROUP BY date ORDER BY date;' },
  ];
}

/** The lines of docs/lake.md that read the files of an archive, with its place and format. */
export function readLines(archive: Archive, domain: string): { program: string; lines: ReadLines[] }[] {
  return [{ program: 'DuckDB', lines: duckdb(archive, domain) }];
}

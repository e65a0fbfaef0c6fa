import { quoted } from '@sluice/shared/sql-text.ts';
import type { Schemas } from '../../api/client.ts';
import type { words } from '../../words/en.ts';

type Archive = Pick<Schemas['Archive'], 'to' | 'format'>;

interface ReadLines {
  program: string;
  note?: keyof typeof words.archives.notes;
  lines: { step: keyof typeof words.archives.steps; code: string }[];
}

const nameOf = ({ bucket, prefix }: Archive['to'], domain: string): string =>
  [bucket, prefix, domain].filter((part) => part !== undefined).join('/');

/** Where the files of an application are. The API does not tell the path of the operator's folder. */
export const placeOf = ({ to }: Pick<Archive, 'to'>, domain: string): string =>
  to.kind === 'folder' ? `ARCHIVE_FOLDER/${domain}` : `s3://${nameOf(to, domain)}`;

/** As a pattern of names of files. Without a scheme for a program that begins in the folder, or knows the bucket. */
const patternOf = ({ to }: Archive, domain: string, scheme = '') =>
  to.kind === 'folder' ? domain : `${scheme}${nameOf(to, domain).replaceAll('*', '[*]')}`;

const usual = 'union_by_name = true, hive_partitioning = true';
const ofDuckdb: Record<Archive['format'], (files: string) => string> = {
  parquet: (files) => `read_parquet(${files}, ${usual})`,
  csv: (files) => `read_csv(${files}, ${usual}, types = {'id': 'VARCHAR'})`,
  ndjson: (files) =>
    `read_json(${files}, ${usual}, columns = {'id': 'VARCHAR', 'createdAt': 'TIMESTAMP', 'payload': 'JSON'})`,
};

function openInDuckdb({ endpoint, region = 'us-east-1', path_style }: Archive['to']): string {
  const host = endpoint?.replace(/^https?:\/\/|\/$/g, '');
  const options = [
    `TYPE s3, KEY_ID 'KEY', SECRET 'SECRET', REGION ${quoted(region)}`,
    ...(host === undefined ? [] : [`ENDPOINT ${quoted(host)}`]),
    ...((path_style ?? endpoint !== undefined) ? ["URL_STYLE 'path'"] : []),
    ...(endpoint?.startsWith('http:') ? ['USE_SSL false'] : []),
  ];
  return `INSTALL httpfs; LOAD httpfs;\nCREATE SECRET (${options.join(', ')});`;
}

function duckdb(archive: Archive, domain: string): ReadLines {
  const place = patternOf(archive, domain, 's3://');
  const rows = ofDuckdb[archive.format](quoted(`${place}/date=*/*.${archive.format}`));
  const deleted = `read_parquet(${quoted(`${place}/_deleted/*.parquet`)})`;
  return {
    program: 'DuckDB',
    lines: [
      ...(archive.to.kind === 's3' ? [{ step: 'open' as const, code: openInDuckdb(archive.to) }] : []),
      {
        step: 'all',
        code: `CREATE OR REPLACE VIEW entries AS\n  FROM ${rows}\n  ANTI JOIN (FROM ${deleted}) USING (id);`,
      },
      { step: 'days', code: 'SELECT date, count(*) AS entries FROM entries GROUP BY date ORDER BY date;' },
    ],
  };
}

const ofPandas: Record<Archive['format'], string> = {
  parquet: 'pd.read_parquet',
  csv: 'lambda file: pd.read_csv(file, dtype={"id": str})',
  ndjson: 'lambda file: pd.read_json(file, lines=True, dtype={"id": str})',
};

function pandas(archive: Archive, domain: string): ReadLines {
  const { endpoint, kind } = archive.to;
  const isBucket = kind === 's3';
  const place = patternOf(archive, domain);
  const at = endpoint === undefined ? '' : `, endpoint_url=${JSON.stringify(endpoint)}`;
  const find = (names: string) =>
    isBucket ? `map(lake.open, lake.glob("${place}/${names}"))` : `glob.glob("${place}/${names}")`;
  const code = [
    isBucket ? 'import s3fs' : 'import glob',
    'import pandas as pd',
    ...(isBucket ? [`lake = s3fs.S3FileSystem(key="KEY", secret="SECRET"${at})`] : []),
    `entries = pd.concat(map(${ofPandas[archive.format]}, ${find(`date=*/*.${archive.format}`)}))`,
    `gone = pd.concat(map(pd.read_parquet, ${find('_deleted/*.parquet')}))`,
    'entries = entries[~entries.id.isin(gone.id)]',
  ].join('\n');
  return {
    program: 'pandas',
    ...(isBucket && { note: 's3fs' }),
    lines: [{ step: 'all', code }],
  };
}

function spark(archive: Archive, domain: string): ReadLines {
  const program = 'Spark';
  const { format, to } = archive;
  if (format === 'csv') return { program, note: 'csv', lines: [] };
  const place = patternOf(archive, domain, 's3a://');
  const reader = format === 'parquet' ? 'option("mergeSchema", "true").parquet' : 'json';
  return {
    program,
    ...(to.kind === 's3' && { note: 's3a' }),
    lines: [
      {
        step: 'all',
        code: `entries = spark.read.${reader}("${place}/date=*/*.${format}")\nentries = entries.join(spark.read.parquet("${place}/_deleted"), "id", "left_anti")`,
      },
    ],
  };
}

/** The lines of docs/lake.md that read the files of an archive, with its place and format. */
export const readLines = (archive: Archive, domain: string): ReadLines[] =>
  [duckdb, pandas, spark].map((linesOf) => linesOf(archive, domain));

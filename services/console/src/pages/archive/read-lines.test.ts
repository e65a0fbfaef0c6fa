import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Schemas } from '../../api/client.ts';
import { placeOf, readLines } from './read-lines.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/lake.md'), 'utf8');
const blocks = (language: string) =>
  Array.from(
    page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\n\`\`\``, 'gs')),
    ([, code]) => code as string,
  );
const [view = '', days, _elements, csv, ndjson] = blocks('sql');
const [pandas = '', pandasOfBucket = '', spark = ''] = blocks('py');
const opened = page.match(/INSTALL httpfs;.*\n.*\);/)?.[0] ?? '';

const folder = { kind: 'folder' } as const;
const bucket: Schemas['ArchiveTarget'] = {
  kind: 's3',
  bucket: 'BUCKET',
  prefix: 'PREFIX',
  access_key_id: 'id',
};
const local = { ...bucket, endpoint: 'http://127.0.0.1:7070' };
const codesOf = (
  program: string,
  to: Schemas['ArchiveTarget'],
  format: Schemas['ArchiveFormat'] = 'parquet',
  domain = 'DOMAIN',
) =>
  readLines({ to, format }, domain)
    .find((each) => each.program === program)
    ?.lines.map(({ code }) => code);
/** The lines of the page for files at another place. */
const at = (place: string, codes: string[]) => codes.map((code) => code.replaceAll('DOMAIN', place));

it('reads a folder with the lines of docs/lake.md', () => {
  expect(codesOf('DuckDB', folder)).toEqual([view, days]);
  expect(codesOf('pandas', folder)).toEqual([pandas]);
  expect(codesOf('Spark', folder)?.join('\n')).toBe(spark);
});

it('reads a bucket with the lines of docs/lake.md', () => {
  const inBucket = at('s3://BUCKET/PREFIX/DOMAIN', [view, days as string]);
  expect(codesOf('DuckDB', bucket)).toEqual([opened, ...inBucket]);
  const [, others] = page.match(/also needs `(ENDPOINT .*?)` there/) ?? [];
  expect(codesOf('DuckDB', local)).toEqual([opened.replace(')', `, ${others})`), ...inBucket]);
  expect(codesOf('pandas', local)).toEqual([pandasOfBucket]);
  expect(codesOf('pandas', bucket)?.[0]).toContain('S3FileSystem(key="KEY", secret="SECRET")');
  expect(codesOf('Spark', bucket)?.join('\n')).toBe(at('s3a://BUCKET/PREFIX/DOMAIN', [spark])[0]);
});

it.each([
  ['csv', csv],
  ['ndjson', ndjson],
] as const)('reads %s with the lines of docs/lake.md', (format, rows) => {
  const [made] = codesOf('DuckDB', folder, format) ?? [];
  expect(made).toBe(view.replace(/FROM read_parquet.*/, () => rows as string));
  const ofPandas = codesOf('pandas', folder, format)?.[0];
  const reader = page.match(
    new RegExp(`\`(lambda file: pd\\.read_${format === 'csv' ? 'csv' : 'json'}.*?)\``),
  )?.[1];
  expect(ofPandas).toBe(
    pandas.replace('pd.read_parquet', reader as string).replace('*.parquet', `*.${format}`),
  );
  const ofSpark = codesOf('Spark', folder, format) ?? [];
  if (format === 'csv') expect(ofSpark).toEqual([]);
  else expect(page).toContain(`\`${ofSpark[0]?.split('\n')[0]}\``);
});

it('quotes what a prefix may have', () => {
  const to = { ...bucket, prefix: "it's/a*" };
  expect(codesOf('DuckDB', to)?.[1]).toContain("'s3://BUCKET/it''s/a[*]/DOMAIN/date=*/*.parquet'");
  expect(placeOf({ to }, 'DOMAIN')).toBe("s3://BUCKET/it's/a*/DOMAIN");
  expect(placeOf({ to: folder }, 'DOMAIN')).toBe('ARCHIVE_FOLDER/DOMAIN');
});

it.each([
  [{ path_style: false }, /ENDPOINT 's3\.example\.com'\)/],
  [{ region: 'eu-central-1' }, /REGION 'eu-central-1', ENDPOINT 's3\.example\.com', URL_STYLE 'path'\)/],
])('opens a bucket of another server with %o', (more, options) => {
  const to = { ...bucket, endpoint: 'https://s3.example.com/', ...more };
  expect(codesOf('DuckDB', to)?.[0]).toMatch(options);
});

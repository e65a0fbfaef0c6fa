import type { Account } from './account.ts';
import type { Result } from './run-dataset.ts';

/** Prints the results, and where to look next. */
export function summary(url: string, { username, password, token }: Account, results: Result[]): string {
  const rows = [
    ['application', 'stored', 'refused', 'seconds', 'uploads/s', 'exported to', 'bytes'],
    ...results.map(({ name, records, refused, seconds, file, bytes }) => [
      name,
      count(records),
      count(refused),
      seconds.toFixed(1),
      count((records + refused) / seconds),
      file,
      count(bytes),
    ]),
  ];
  const verify = results.map(
    ({ domain, file }) => `  python3 examples/verify.py --url ${url} --domain ${domain} ${file}`,
  );
  return `
${table(rows)}

Where to look next
  API docs   ${url}/api/docs
  Username   ${username}
  Password   ${password}

List entries:
  export SLUICE_TOKEN=${token}
  curl -H "Authorization: Bearer $SLUICE_TOKEN" '${url}/api/applications/${results[0]?.domain}/data?limit=3'

Compare every exported cell with the listing (Python 3, the same SLUICE_TOKEN):
${verify.join('\n')}`;
}

const count = (value: number) => Math.round(value).toLocaleString('en');

/** Aligns text left, and cells that begin with a digit right. */
function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, place) => Math.max(...rows.map((row) => row[place]?.length ?? 0)));
  const isNumeric = widths.map((_, place) => rows.slice(1).every((row) => /^\d/.test(row[place] ?? '')));
  const pad = (cell: string, place: number) =>
    isNumeric[place] ? cell.padStart(widths[place] ?? 0) : cell.padEnd(widths[place] ?? 0);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

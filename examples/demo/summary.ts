import type { Account } from './account.ts';
import type { Result } from './run-dataset.ts';

/** The results as a table. */
export function summary(results: Result[]): string {
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
  return `\n${table(rows)}\n`;
}

/** Where to look next. A link replaces the password, and ends the token. */
export function nextSteps(url: string, account: Account, results: Result[], link?: string): string {
  if (link)
    return `Open this link. It signs you in, once:

  ${link}

For an account of your own, open the link of npm start, or run: npm run admin -- users invite NAME
`;
  const { username, password, token } = account;
  const commands = results.map(
    ({ domain, file }) => `  python3 examples/verify.py --url ${url} --domain ${domain} ${file}`,
  );
  const verify = `
Compare every exported cell with the listing (Python 3):
  export SLUICE_TOKEN=${token}
${commands.join('\n')}
`;
  return `Sign in at ${url}
  Username   ${username}
  Password   ${password}
${results.length > 0 ? verify : ''}`;
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

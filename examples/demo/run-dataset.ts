import { join } from 'node:path';
import type { Dataset } from '../datasets.ts';
import type { Account } from './account.ts';
import { type Client, inOneLine } from './client.ts';
import { exportTo } from './export.ts';
import { showProgress } from './progress.ts';
import { upload } from './upload.ts';

/** Number of refused records that are printed; others are counted. */
const maxPrinted = 20;

export interface Result {
  name: string;
  domain: string;
  records: number;
  refused: number;
  seconds: number;
  file: string;
  bytes: number;
  /** Differences from the expected result. */
  problems: string[];
}

/** Creates the application, uploads all records, exports them and counts. */
export async function runDataset(
  dataset: Dataset,
  { client, account, out }: { client: Client; account: Account; out: string },
): Promise<Result> {
  const { name, title, schema } = dataset;
  const { token } = account;
  const body = { name: title, type: 'server', schema };
  const { domain } = await client.need<{ domain: string }>('POST', '/applications', { token, body });

  const records = [...dataset.read()];
  const progress = showProgress(name, records.length);
  const { stored, refused, seconds } = await upload(client, domain, records, progress.update).finally(
    progress.stop,
  );
  for (const { record, refusal } of refused.slice(0, maxPrinted)) {
    console.log(`${name}: record ${record} was refused: ${inOneLine(refusal)}`);
  }
  if (refused.length > maxPrinted) console.log(`${name}: ${refused.length - maxPrinted} more were refused`);

  const file = join(out, `${name}.csv`);
  const { rows, bytes } = await exportTo(client, domain, token, file);
  const page = `/applications/${domain}/data?limit=1`;
  const { total } = (await client.need<{ pagination: { total: number } }>('GET', page, { token })).pagination;

  const problems = [
    ...(refused.length > 0 ? [`${refused.length} of ${records.length} ${name} were refused`] : []),
    ...(rows !== stored ? [`${file} has ${rows} rows, but ${stored} were uploaded`] : []),
    ...(total !== stored ? [`the listing of ${name} counts ${total}, but ${stored} were uploaded`] : []),
  ];
  return { name, domain, records: stored, refused: refused.length, seconds, file, bytes, problems };
}

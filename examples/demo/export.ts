import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import type { Client } from './client.ts';
import { DemoError } from './demo-error.ts';

export interface Exported {
  /** Rows without the header. */
  rows: number;
  bytes: number;
}

/** Exports an application into `file` and counts its rows. */
export async function exportTo(
  client: Client,
  domain: string,
  token: string,
  file: string,
): Promise<Exported> {
  const body = await client.download(`/applications/${domain}/export`, token);
  await pipeline(body, createWriteStream(file)).catch((error) => {
    throw new DemoError(
      `the export of ${domain} into ${file} broke off (${error.cause?.code ?? error.message})`,
    );
  });
  return { rows: await countRows(file), bytes: (await stat(file)).size };
}

/** Counts the rows after the header. Throws DemoError if the file is not CSV. */
export async function countRows(file: string): Promise<number> {
  let rows = 0;
  await pipeline(createReadStream(file), parse({ columns: true }), async (records) => {
    for await (const _ of records) rows += 1;
  }).catch((error) => {
    throw new DemoError(`${file} cannot be read as CSV: ${error.message}`);
  });
  return rows;
}

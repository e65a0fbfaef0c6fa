import type { Bench } from './bench.ts';
import type { Whole } from './contestants.ts';
import { download } from './curl.ts';
import { takeExport } from './jobs.ts';
import { forgetPeak, processorSeconds, resident } from './resident.ts';
import type { startSluice } from './sluice.ts';

export const formats = ['csv', 'ndjson', 'parquet'] as const;
export type Format = (typeof formats)[number];

export interface Exported extends Whole {
  firstByteMs: number;
  /** Peak memory of the processes in bytes; undefined if the system does not report it. */
  worker: number | undefined;
  api: number | undefined;
}

interface Exporting {
  sluice: Awaited<ReturnType<typeof startSluice>>;
  worker: { pid: number };
  entries: number;
}

const newline = 10;

/** Runs exports of an application. Each is compared with its manifest, then removed. */
export function createExporting(bench: Bench, { sluice, worker, entries }: Exporting) {
  const { account, domain } = sluice;
  const path = (format: Format) => `/applications/${domain}/export?format=${format}`;

  return {
    /** Reads the whole file once. Rejects unless it has a line for each entry. */
    async expectLines(format: 'csv' | 'ndjson'): Promise<void> {
      let lines = format === 'csv' ? -1 : 0;
      for await (const chunk of await account.client.download(path(format), account.token))
        for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines += 1;
      await takeExport(sluice);
      if (lines !== entries) throw new Error(`${format} has ${lines} lines for ${entries} entries`);
      bench.say(`  ${format} has a line for each entry`);
    },

    async measure(format: Format): Promise<Exported> {
      for (const { pid } of [worker, sluice]) forgetPeak(pid);
      const target = { url: `${sluice.url}/api${path(format)}`, token: account.token };
      const busyBefore = processorSeconds(worker.pid);
      const { bytes, seconds, firstByteMs } = await download(target);
      const cpu = processorSeconds(worker.pid) - busyBefore;
      const memory = { worker: resident(worker.pid)?.peak, api: resident(sluice.pid)?.peak };
      const { state, file } = await takeExport(sluice);
      if (state !== 'completed' || file?.rows !== entries || file.bytes !== bytes)
        throw new Error(`${bytes} bytes came of an export that is ${state}: ${JSON.stringify(file)}`);
      return { entries, seconds, cpu, firstByteMs, ...memory };
    },
  };
}

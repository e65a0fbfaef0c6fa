import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { Store } from '@sluice/jobs/connect.ts';
import { JobFailed } from '@sluice/jobs/kind.ts';
import type { Part } from '@sluice/jobs/record/job.ts';

const decompress = promisify(zstdDecompress);
const compress = promisify(zstdCompress);
/** Reports are joined into parts of at most this size, to keep the list of parts short. */
const partBytes = 4 * 1024 ** 2;

interface Report {
  part: string;
  rows: number;
  text: Buffer;
}

/** Joins the reports of all chunks into one file. Calls `check` after each part. */
export function createJoinReports({ chunks, parts }: Pick<Store, 'chunks' | 'parts'>) {
  async function join(job: string, reports: Report[]): Promise<Part> {
    const [only] = reports;
    const text = Buffer.concat(reports.map((report) => report.text));
    const rows = reports.reduce((sum, report) => sum + report.rows, 0);
    const isOne = reports.length === 1 && only;
    return { id: isOne ? only.part : await parts.put(job, await compress(text)), rows, bytes: text.length };
  }

  /** The decompressed reports, a list for each part. */
  async function* listsOf(job: string): AsyncGenerator<Report[]> {
    let list: Report[] = [];
    let size = 0;
    for await (const { part, rows, bytes } of chunks.reports(job)) {
      const data = await parts.get(part);
      if (!data) throw new JobFailed('a piece of the report is missing');
      if (size > 0 && size + bytes > partBytes) {
        yield list;
        list = [];
        size = 0;
      }
      list.push({ part, rows, text: await decompress(data, { chunkSize: 256 * 1024 }) });
      size += bytes;
    }
    if (size > 0) yield list;
  }

  return async (
    job: string,
    check: () => void,
  ): Promise<{ parts: Part[]; bytes: number; sha256: string }> => {
    const hash = createHash('sha256');
    const joined: Part[] = [];
    for await (const list of listsOf(job)) {
      for (const { text } of list) hash.update(text);
      joined.push(await join(job, list));
      check();
    }
    const bytes = joined.reduce((sum, part) => sum + part.bytes, 0);
    return { parts: joined, bytes, sha256: hash.digest('hex') };
  };
}

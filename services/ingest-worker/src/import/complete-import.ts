import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { Store } from '@sluice/shared/store/connect.ts';
import type { ImportJob, Part } from '@sluice/shared/store/job-records.ts';
import { Conflict } from './conflict.ts';
import { Lost, leaseMs } from './hold-chunk.ts';

const decompress = promisify(zstdDecompress);
const compress = promisify(zstdCompress);
/** Reports of chunks are joined to parts of this size at most: the list of parts is in the record. */
const partBytes = 4 * 1024 ** 2;

interface Report {
  part: string;
  rows: number;
  text: Buffer;
}

/** Makes one file of the reports of all chunks, and with it ends an import whose end was claimed. */
export function createCompleteImport(
  { jobs, chunks, parts }: Pick<Store, 'jobs' | 'chunks' | 'parts'>,
  retentionMs: number,
) {
  const { imports } = jobs;

  async function join(job: string, reports: Report[]): Promise<Part> {
    const [only] = reports;
    const text = Buffer.concat(reports.map((report) => report.text));
    const rows = reports.reduce((sum, report) => sum + report.rows, 0);
    const isOne = reports.length === 1 && only;
    return { id: isOne ? only.part : await parts.put(job, await compress(text)), rows, bytes: text.length };
  }

  /** The reports of chunks, decompressed, in lists of what becomes one part. */
  async function* listsOf(job: string): AsyncGenerator<Report[]> {
    let list: Report[] = [];
    let size = 0;
    for await (const { part, rows, bytes } of chunks.reports(job)) {
      const data = await parts.get(part);
      if (!data) throw new Conflict('a piece of the report is missing');
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

  return async function completeImport({ id, fence }: ImportJob): Promise<void> {
    const hash = createHash('sha256');
    const joined: Part[] = [];
    let beatAt = performance.now();
    for await (const list of listsOf(id)) {
      for (const { text } of list) hash.update(text);
      joined.push(await join(id, list));
      if (performance.now() - beatAt < leaseMs / 5) continue;
      if (!(await jobs.beat(id, fence, leaseMs))) throw new Lost();
      beatAt = performance.now();
    }
    const { accepted, rejected } = await chunks.totals(id);
    const manifest = {
      rows: rejected,
      bytes: joined.reduce((sum, { bytes }) => sum + bytes, 0),
      sha256: hash.digest('hex'),
    };
    const completion = { parts: joined, manifest, accepted, rejected };
    const expiresAt = new Date(Date.now() + retentionMs);
    if (!(await imports.complete(id, fence, completion, expiresAt))) throw new Lost();
    await parts.sweep(
      id,
      joined.map((part) => part.id),
    );
    await chunks.remove(id);
  };
}

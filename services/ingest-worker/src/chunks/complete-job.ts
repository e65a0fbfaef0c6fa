import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { Store } from '@sluice/jobs/connect.ts';
import type { Part } from '@sluice/jobs/record/job.ts';
import type { ChunkedJob } from '@sluice/jobs/record/job-records.ts';
import type { JobResult as AnyResult } from '@sluice/jobs/record/jobs.ts';
import { LeaseLost, type LeaseTimings, underLease } from '@sluice/shared/lease.ts';
import { Conflict } from './conflict.ts';

const decompress = promisify(zstdDecompress);
const compress = promisify(zstdCompress);
/** Reports of chunks are joined to parts of this size at most: the list of parts is in the record. */
const partBytes = 4 * 1024 ** 2;

/** What the record of a completed job has besides its file, of which each refused line is a row. */
export type JobResult = AnyResult & { rejected: number };

interface Report {
  part: string;
  rows: number;
  text: Buffer;
}

/** Makes one file of the reports of all chunks, and with it ends a job that this worker has claimed. */
export function createCompleteJob(
  { jobs, chunks, parts }: Pick<Store, 'jobs' | 'chunks' | 'parts'>,
  { retentionMs, timings }: { retentionMs: number; timings: LeaseTimings },
) {
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

  async function joinAll(id: string, check: () => void) {
    const hash = createHash('sha256');
    const joined: Part[] = [];
    for await (const list of listsOf(id)) {
      for (const { text } of list) hash.update(text);
      joined.push(await join(id, list));
      check();
    }
    return { joined, sha256: hash.digest('hex') };
  }

  return async function completeJob(
    { id, fence }: ChunkedJob,
    resultOf: () => Promise<JobResult>,
  ): Promise<void> {
    const { joined, sha256 } = await underLease(
      () => jobs.renew(id, fence, timings.leaseMs),
      timings,
      ({ check }) => joinAll(id, check),
    );
    const result = await resultOf();
    const bytes = joined.reduce((sum, part) => sum + part.bytes, 0);
    const manifest = { rows: result.rejected, bytes, sha256 };
    const expiresAt = new Date(Date.now() + retentionMs);
    if (!(await jobs.complete(id, fence, manifest, expiresAt, { ...result, parts: joined, bytes })))
      throw new LeaseLost();
    await parts.sweep(
      id,
      joined.map((part) => part.id),
    );
    await chunks.remove(id);
  };
}

import { pipeline, Readable, type Transform } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';
import negotiate from '@fastify/accept-negotiator';
import { type DescribedFile, fileNameOf, mediaTypeOf } from '@sluice/jobs/record/file-name.ts';
import type { Part } from '@sluice/jobs/record/job.ts';
import type { JobWithFile } from '@sluice/jobs/record/job-records.ts';
import { toJob } from '@sluice/jobs/record/to-job.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import { abortOnClose } from '../http/connections/connections.ts';
import { isKnown, isMatched } from '../http/etags.ts';
import { reportCsv } from '../imports/report-csv.ts';
import { freeing, keeping, readRange } from './read-parts.ts';

/** Parts of a file in memory for one reader, who may stop and stay: being read, read, and being sent. */
const partsInMemory = 3;
/** Memory for a streamed export, whose parts are not known when it begins. */
export const streamBytes = partsInMemory * 4 * 1024 ** 2;

function memoryFor(list: Part[]): number {
  const largest = list.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  const all = list.reduce((sum, { bytes }) => sum + bytes, 0);
  return Math.min(all, partsInMemory * largest);
}

/** `as`: another format than it is stored in. */
type SentFile = JobWithFile & { as?: 'csv' | undefined };

const vary = 'accept-encoding';

export const isHead = ({ method }: FastifyRequest) => method === 'HEAD';

/**
 * A file is compressed anew, as one stream. Its stored parts together would be several zstd frames, of which
 * some decoders, such as that of Node.js, read only the first.
 */
const compressors = {
  // Three times as fast as the default level, for a tenth more bytes.
  gzip: () => createGzip({ level: 2 }),
  zstd: () => createZstdCompress(),
} satisfies Record<string, () => Transform>;

type Encoding = keyof typeof compressors;

/** The encoding that a client prefers; undefined for none. */
export function encodingFor(accepts: string | undefined): Encoding | undefined {
  const best = accepts ? negotiate(accepts, ['zstd', 'gzip', 'identity']) : 'identity';
  return best === 'gzip' || best === 'zstd' ? best : undefined;
}

/** Sets the headers that say what a file is. */
export function describeFile(reply: FastifyReply, file: DescribedFile, encoding: Encoding | undefined): void {
  const disposition = `attachment; filename="${fileNameOf(file)}"`;
  reply.type(mediaTypeOf(file)).headers({ 'content-disposition': disposition, vary });
  if (encoding) reply.header('content-encoding', encoding);
}

/** Sends the buffers of `source`, and frees their memory. If `source` fails, the connection breaks: clients see no clean end. */
export function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  job: SentFile,
  source: AsyncIterable<Buffer>,
  encoding?: Encoding,
) {
  const signal = abortOnClose(reply);
  describeFile(reply, job, encoding);
  const compressor = encoding && compressors[encoding]();
  const freed = freeing(source, compressor ?? reply.raw);
  const bytes = Readable.from(freed, { objectMode: false, highWaterMark: 1 });
  bytes.on('error', (error) => {
    if (signal.aborted) return;
    request.log.warn({ event: 'file.broken', id: request.id, job: job.id, reason: error.message });
  });
  return reply.send(compressor ? pipeline(bytes, compressor, () => undefined) : bytes);
}

/** Sends the file of a completed job, or the requested range. Conditions follow RFC 9110, 13.2.2; files have no date. */
export async function sendFile(
  {
    store: { jobs, parts },
    audit,
    capacity: { answers },
  }: Pick<Dependencies, 'store' | 'audit' | 'capacity'>,
  request: FastifyRequest,
  reply: FastifyReply,
  job: SentFile,
) {
  const { manifest } = job;
  const isCsv = 'as' in job && job.as === 'csv';
  if (!manifest) {
    throw new ApiError('ResourceNotFoundError', `${job.kind} ${job.id} has no file: it is ${job.state}`);
  }
  if (job.kind === 'export' && job.target) {
    const { file } = toJob(job);
    throw new ApiError(
      'ResourceNotFoundError',
      `export ${job.id} has no file here: it is in its ${job.target.kind === 's3' ? `bucket ${job.target.bucket}` : 'folder'} as ${file?.name}`,
    );
  }
  // How long a file of another format becomes is not known.
  const range = isCsv ? undefined : rangeOf(request, manifest.sha256, manifest.bytes);
  // Ranges are of the uncompressed file.
  const encoding = range ? undefined : encodingFor(request.headers['accept-encoding']);
  const etag = `"${manifest.sha256}${isCsv ? '-csv' : ''}${encoding ? `-${encoding}` : ''}"`;
  reply.headers({
    etag,
    vary,
    'accept-ranges': isCsv ? 'none' : 'bytes',
    'cache-control': 'private, no-cache',
  });
  if (!isMatched(request, etag)) {
    throw new ApiError(
      'PreconditionFailedError',
      `the file has the ETag ${etag}, which If-Match does not name`,
    );
  }
  if (isKnown(request, etag)) return reply.code(304).send();
  if (range === 'unsatisfiable') {
    throw new ApiError('RangeNotSatisfiableError', `the file has ${manifest.bytes} bytes`, {
      headers: { 'content-range': `bytes */${manifest.bytes}` },
    });
  }
  const list = isHead(request) ? [] : await jobs.partsOf(job.id);
  answers.lease(reply, job.owner).take(memoryFor(list));
  const { start, end } = range ?? { start: 0, end: manifest.bytes - 1 };
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${manifest.bytes}`);
  if (!encoding && !isCsv) reply.header('content-length', end - start + 1);
  if (!isHead(request)) {
    const details = range && { range: `${start}-${end}` };
    const what = { application: job.domain, job: job.id, details };
    await audit.note(request, { action: `${job.kind}.downloaded`, ...what });
  }
  const source = isHead(request) ? none() : keeping(jobs, job.id, readRange(parts, list, { start, end }));
  return sendBytes(request, reply, job, isCsv ? reportCsv(source) : source, encoding);
}

/** The requested range; undefined for the whole file. Only GET has ranges, and `If-Range` must be the strong tag. */
function rangeOf({ headers, method }: FastifyRequest, sha256: string, bytes: number) {
  const { range, 'if-range': condition } = headers;
  if (range === undefined || method !== 'GET') return undefined;
  return condition === undefined || condition === `"${sha256}"` ? parseRange(range, bytes) : undefined;
}

async function* none(): AsyncGenerator<Buffer> {}

/** The first and the last byte of a part of a file. */
interface Range {
  start: number;
  end: number;
}

/**
 * Reads the header `Range` (RFC 9110, 14.1.2). Undefined for several ranges, other units and invalid headers:
 * then the whole file is sent.
 *
 * `range-parser` and `@fastify/send` refuse a suffix that is longer than the file.
 */
function parseRange(header: string, bytes: number): Range | 'unsatisfiable' | undefined {
  const set = /^bytes=(.*)$/i.exec(header)?.[1] ?? '';
  const specs = set.split(',').filter((spec) => spec.trim() !== '');
  const [, first, last] = /^(\d*)-(\d*)$/.exec(specs[0]?.trim() ?? '') ?? [];
  if (specs.length > 1 || first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') {
    if (Number(last) === 0) return 'unsatisfiable';
    // Content-Range cannot describe a part of an empty file.
    return bytes === 0 ? undefined : { start: Math.max(bytes - Number(last), 0), end: bytes - 1 };
  }
  const range = { start: Number(first), end: last === '' ? Number.POSITIVE_INFINITY : Number(last) };
  if (range.end < range.start) return undefined;
  return range.start < bytes ? { ...range, end: Math.min(range.end, bytes - 1) } : 'unsatisfiable';
}

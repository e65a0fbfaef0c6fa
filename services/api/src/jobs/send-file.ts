import { pipeline, Readable } from 'node:stream';
import type { Part } from '@sluice/jobs/record/job.ts';
import type { JobWithFile } from '@sluice/jobs/record/job-records.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import { isMatched, isNamedIn, parseRange } from './conditions.ts';
import { createCompressor, encodingFor } from './encoding.ts';
import { keeping } from './keep.ts';
import { mediaOf } from './media.ts';
import { readRange } from './read-parts.ts';
import { releasing } from './releasing.ts';

/** Parts of a file that are in memory for one reader, who may stop in the middle and stay: on its way, read, and being read. */
const partsInMemory = 3;
/** Of an export that is streamed, whose parts are not known when it begins. */
export const streamBytes = partsInMemory * 4 * 1024 ** 2;

function memoryFor(list: Part[]): number {
  const largest = list.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  const all = list.reduce((sum, { bytes }) => sum + bytes, 0);
  return Math.min(all, partsInMemory * largest);
}

/** Of each file there are compressed ones. */
const vary = 'accept-encoding';

const isHead = ({ method }: FastifyRequest) => method === 'HEAD';

/** Sends what `source` yields, whose memory is given back then. When that fails the connection is broken off: a client sees no clean end. */
export function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  job: JobWithFile,
  source: AsyncIterable<Buffer>,
  signal: AbortSignal,
  encoding?: ReturnType<typeof encodingFor>,
) {
  const { type, disposition } = mediaOf(job);
  reply.type(type).headers({ 'content-disposition': disposition, vary });
  if (encoding) reply.header('content-encoding', encoding);
  const compressor = encoding && createCompressor(encoding);
  const held = releasing(source, compressor ?? reply.raw);
  const bytes = Readable.from(held, { objectMode: false, highWaterMark: 1 });
  bytes.on('error', (error) => {
    if (signal.aborted) return;
    request.log.warn({ event: 'file.broken', id: request.id, job: job.id, reason: error.message });
  });
  return reply.send(compressor ? pipeline(bytes, compressor, () => undefined) : bytes);
}

/** Sends the file of a completed job, or the requested range. Conditions follow RFC 9110, 13.2.2; a file has no date. */
export function createSendFile({
  store: { jobs, parts },
  audit,
  capacity: { answers },
}: Pick<Dependencies, 'store' | 'audit' | 'capacity'>) {
  return async (request: FastifyRequest, reply: FastifyReply, job: JobWithFile, signal: AbortSignal) => {
    const { manifest } = job;
    if (!manifest) {
      throw new ApiError('ResourceNotFoundError', `${job.kind} ${job.id} has no file: it is ${job.state}`);
    }
    const range = rangeOf(request, manifest.sha256, manifest.bytes);
    // A range is one of the file as it is.
    const encoding = range ? undefined : encodingFor(request.headers['accept-encoding']);
    const etag = `"${manifest.sha256}${encoding ? `-${encoding}` : ''}"`;
    reply.headers({ etag, vary, 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache' });
    const { 'if-match': wanted = '*', 'if-none-match': known = '' } = request.headers;
    if (!isMatched(wanted, etag)) {
      throw new ApiError(
        'PreconditionFailedError',
        `the file has the ETag ${etag}, which If-Match does not name`,
      );
    }
    if (isNamedIn(known, etag)) return reply.code(304).send();
    if (range === 'unsatisfiable') {
      throw new ApiError('RangeNotSatisfiableError', `the file has ${manifest.bytes} bytes`, {
        headers: { 'content-range': `bytes */${manifest.bytes}` },
      });
    }
    const list = isHead(request) ? [] : await jobs.partsOf(job.id);
    answers.lease(reply, job.owner).take(memoryFor(list));
    const { start, end } = range ?? { start: 0, end: manifest.bytes - 1 };
    if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${manifest.bytes}`);
    if (!encoding) reply.header('content-length', end - start + 1);
    if (!isHead(request)) {
      const details = range && { range: `${start}-${end}` };
      const what = { application: job.domain, job: job.id, details };
      await audit.note(request, { action: `${job.kind}.downloaded`, ...what });
    }
    const source = isHead(request) ? none() : keeping(jobs, job.id, readRange(parts, list, { start, end }));
    return sendBytes(request, reply, job, source, signal, encoding);
  };
}

/** Undefined if the whole file is to be sent. Only GET has ranges, and `If-Range` takes only the strong tag. */
function rangeOf({ headers, method }: FastifyRequest, sha256: string, bytes: number) {
  const { range, 'if-range': condition } = headers;
  if (range === undefined || method !== 'GET') return undefined;
  return condition === undefined || condition === `"${sha256}"` ? parseRange(range, bytes) : undefined;
}

async function* none(): AsyncGenerator<Buffer> {}

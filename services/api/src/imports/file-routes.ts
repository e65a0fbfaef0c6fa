import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { mostPieces } from '@sluice/jobs/record/import-sources.ts';
import { type ImportJob, isUncut } from '@sluice/jobs/record/job-records.ts';
import { toJob } from '@sluice/jobs/record/to-job.ts';
import { ApiError, bodyTooLarge } from '@sluice/shared/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { piecesOf } from '../http/body.ts';
import { patienceFor } from '../http/connections/slow-bodies.ts';
import { findApplication } from '../http/find-application.ts';
import { notFound } from '../http/refusals.ts';
import { ByDomain, bearerRoutes, byId, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { Int, Text } from '../http/schemas.ts';
import { onlyQueries } from '../http/validation.ts';
import { JobAnswer, jobExamples } from '../jobs/contract.ts';
import { cancelJob, findJob } from '../jobs/steps.ts';
import { checkImportQuotas, newImport } from './create-import.ts';
import { inPieces, pieceBytes } from './in-pieces.ts';
import { SourceQuery, toSourceRequest } from './options.ts';

const version = '1.0.0';
const contentType = 'application/offset+octet-stream';
const compress = promisify(zstdCompress);
/** Pieces are read once and soon, so speed matters more than size. */
const quick = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const ById = byId('file, which is that of the import job');
const offsetHeaders = {
  'Upload-Offset': Int('Bytes that have arrived.'),
  'Upload-Expires': Text('When the file is removed, unless more of it arrives.'),
};
const Bytes = Type.String({ format: 'binary', examples: ['{"celsius":21.5}\n'] });
const conflict = (message: string) => new ApiError('ResourceConflictError', message);
const invalid = (message: string) => new ApiError('InvalidRequestError', message);

type ById = FastifyRequest<{ Params: { domain: string; id: string } }>;
type ImportFile = ImportJob & { source: NonNullable<ImportJob['source']> };

const isOpen = (job: ImportJob) => isUncut(job) && job.source.isReady === undefined;

/** Files that arrive in pieces, by the protocol tus 1.0.0 (https://tus.io/protocols/resumable-upload). */
export const importFileRoutes: Routes = async (app, dependencies) => {
  const { store, audit, quotas, capacity, config } = dependencies;
  const { imports } = store.jobs;
  const path = '/applications/:domain/import-files';
  const mostBytes = Math.min(config.importLimit, mostPieces * pieceBytes);
  const ofServer = {
    'tus-version': version,
    'tus-extension': 'creation,termination,expiration',
    'tus-max-size': mostBytes,
  };
  app.addHook('onRequest', async ({ headers, method }, reply) => {
    reply.header('tus-resumable', version);
    const asked = headers['tus-resumable'];
    if (method === 'OPTIONS' || asked === undefined || asked === version) return;
    const message = `only version ${version} of tus is taken here`;
    throw new ApiError('PreconditionFailedError', message, { headers: { 'tus-version': version } });
  });
  // Of other errors, a client such as tus-js-client takes from HEAD that the file is gone, and begins another.
  app.addHook('onSend', async ({ method }, reply) => {
    if (method === 'HEAD' && reply.statusCode >= 500) reply.code(423);
  });
  bearerRoutes(app, 'Imports', 'editor');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(contentType, (_request: FastifyRequest, stream: IncomingMessage, done) =>
    done(null, stream),
  );

  /** Throws ApiError if there is none, or it has expired. */
  async function find(request: ById): Promise<ImportFile> {
    const { job } = await findJob(store, 'import', request);
    const isFile = job.kind === 'import' && job.source?.size !== undefined && job.state !== 'cancelled';
    const hasExpired = isFile && isOpen(job) && (job.leaseUntil?.getTime() ?? 0) < Date.now();
    if (!isFile || hasExpired) throw notFound('file', job.id);
    return job as ImportFile;
  }

  /** Waits, for at most 10 s, until a broken request has stored what arrived: its client would send that again. */
  async function findSettled(request: ById): Promise<ImportFile> {
    let file = await find(request);
    for (let seconds = 0; seconds < 10 && file.source.bytes > 0 && isOpen(file); seconds++) {
      await sleep(1_000);
      const before = file.source.bytes;
      file = await find(request);
      if (file.source.bytes === before) break;
    }
    return file;
  }

  function tell(reply: FastifyReply, { source, leaseUntil, ...job }: ImportFile): FastifyReply {
    reply.header('upload-offset', source.bytes);
    if (isOpen({ source, ...job }) && leaseUntil) reply.header('upload-expires', leaseUntil.toUTCString());
    return reply;
  }

  /** Stores what arrives, also of a body that is cut off. */
  async function take(file: ImportFile, stream: IncomingMessage): Promise<ImportFile> {
    let now = file;
    const left = (file.source.size ?? 0) - file.source.bytes;
    for await (const piece of inPieces(piecesOf(stream, left, patienceFor(stream)))) {
      await quotas.check('importBytes', file.owner);
      const compressed = await compress(piece, quick);
      const id = await store.parts.put(file.id, compressed);
      const part = { id, rows: 0, bytes: piece.length };
      const next = await imports.append(now, { piece: part, stored: compressed.length });
      if (!next) {
        await store.parts.remove(id);
        throw conflict(
          (await imports.isFull(file.id))
            ? `the file has ${mostPieces.toLocaleString('en')} pieces, and can have no more: remove it, and send more bytes at once`
            : 'another request has continued or removed the file: ask for its offset',
        );
      }
      now = next as ImportFile;
    }
    return now;
  }

  app.route({
    method: 'OPTIONS',
    url: path,
    schema: { hide: true },
    handler: (_request, reply) => reply.code(204).headers(ofServer).send(),
  });

  app.post(
    path,
    operation('createImportFile', 'Begin to send a file in pieces', {
      description:
        'For files that go on after a broken connection, by the protocol [tus](https://tus.io) 1.0.0 with its extensions creation, termination and expiration. Clients such as tus-js-client and Uppy work. `Location` is the URL of the file; its last part is the id of the import job. Once the whole file has arrived, workers import it. A file is removed 24 h after its last bytes, unless it is whole.',
      params: ByDomain,
      querystring: SourceQuery,
      headers: Type.Object({
        'upload-length': Type.String({
          pattern: '^[1-9][0-9]{0,14}$',
          description: 'Must be the number of bytes of the file.',
          examples: ['20'],
        }),
        'upload-metadata': Type.Optional(
          Type.String({ description: 'As tus says. `filename` is the name of the file.' }),
        ),
      }),
      response: {
        201: {
          ...Success(JobAnswer, 'Begun.', {
            ...jobExamples.waiting('import'),
            progress: { done: 0, total: 0 },
            arrived: { bytes: 0, size: 20 },
          }),
          headers: { Location: Text('Path of the file.'), ...offsetHeaders },
        },
        ...overLimit,
      },
    }),
    async (request, reply) => {
      const { headers, query } = request;
      const application = await findApplication(store.applications, request);
      const size = Number(headers['upload-length']);
      const { importLimit: limit, importQuota: quota, bodyLimit } = config;
      if (size > mostBytes) throw bodyTooLarge(mostBytes);
      const metadata = headers['upload-metadata'];
      const given = toSourceRequest(query, nameIn(metadata));
      await checkImportQuotas(quotas, application.owner.id);
      const source = { bytes: 0, size, stored: 0, names: given.columns, limit, quota, metadata };
      const job = await imports.create({ ...newImport(application, given, bodyLimit), source });
      await audit.note(request, { action: 'import.made', application: job.domain, job: job.id });
      tell(reply, job as ImportFile).header(
        'location',
        `/api/applications/${job.domain}/import-files/${job.id}`,
      );
      return success(reply, toJob(job), 201);
    },
  );

  app.head(`${path}/:id`, { schema: { hide: true, params: ById } }, async (request, reply) => {
    const file = await findSettled(request as ById);
    const { size, metadata } = file.source;
    if (metadata) reply.header('upload-metadata', metadata);
    return tell(reply, file).header('upload-length', size).send();
  });

  app.patch(
    `${path}/:id`,
    {
      validatorCompiler: onlyQueries(app),
      config: { takes: contentType },
      ...operation('continueImportFile', 'Send the next bytes of a file', {
        description:
          'The bytes of the file from `Upload-Offset` on. After a broken connection, `HEAD` of the same path tells the offset of what has arrived.',
        params: ById,
        headers: Type.Object({
          'upload-offset': Text('Where the bytes begin: the number of bytes that have arrived.', '0'),
        }),
        body: { content: { [contentType]: { schema: Bytes } } },
        response: {
          204: { description: 'Stored.', type: 'null', headers: offsetHeaders },
          ...overLimit,
          ...ownFailures('ResourceConflictError', 'PreconditionFailedError'),
        },
      }),
    },
    async (request, reply) => {
      const file = await find(request as ById);
      const offset = request.headers['upload-offset'];
      if (typeof offset !== 'string' || !/^\d{1,15}$/.test(offset))
        throw invalid('the header Upload-Offset must be a number of bytes');
      if (Number(offset) !== file.source.bytes)
        throw conflict(`${file.source.bytes} bytes have arrived, not ${offset}: continue there`);
      const body = request.body as IncomingMessage | undefined;
      const isDone = !body || !isOpen(file);
      const now = isDone ? file : await capacity.imports.run(file.owner, () => take(file, body));
      return tell(reply, now).code(204).send();
    },
  );

  app.delete(
    `${path}/:id`,
    operation('deleteImportFile', 'Give up a file', {
      description: 'Removes what has arrived.',
      params: ById,
      response: { 204: { description: 'Removed.', type: 'null' }, ...ownFailures('ResourceConflictError') },
    }),
    async (request, reply) => {
      const file = await find(request as ById);
      if (!isOpen(file))
        throw conflict(`the file has arrived: DELETE …/imports/${file.id} cancels its import`);
      await cancelJob(store.jobs, file.id);
      await store.parts.sweep(file.id);
      await audit.note(request, { action: 'import.removed', application: file.domain, job: file.id });
      return reply.code(204).send(null);
    },
  );
};

/** The name of the file in `Upload-Metadata`: pairs of a name and base64, separated by commas. Throws ApiError. */
function nameIn(metadata: string | undefined): string | undefined {
  for (const pair of (metadata ?? '').split(',')) {
    const [name, value = ''] = pair.trim().split(' ');
    if (name !== 'filename') continue;
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value)) throw invalid('filename of Upload-Metadata is no base64');
    return Buffer.from(value, 'base64').toString().toWellFormed();
  }
  return undefined;
}

import type { IncomingMessage } from 'node:http';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { LineFailure } from '@sluice/intake/line.ts';
import { toLineError } from '@sluice/intake/line-errors.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Dependencies } from '../../dependencies.ts';
import { FailureWith, Success, success } from '../../http/answers.ts';
import { abortOnClose } from '../../http/connections/connections.ts';
import { takeParameters } from '../../http/media-type.ts';
import {
  ByDomain,
  Ndjson,
  operation,
  overRate,
  ownFailures,
  rateLimited,
  tagRoutes,
} from '../../http/route-parts.ts';
import { Int, Text } from '../../http/schemas.ts';
import { onlyQueries } from '../../http/validation.ts';
import { mustBeAdmitted, type Sent } from '../../known/keyring.ts';
import { batchLines } from '../../limits/table.ts';
import type { UploadRates } from '../../limits/upload-rate.ts';
import { BatchQuery, BatchResult, IdempotencyKey, LineError, NewEntry, partlyRefused } from '../contract.ts';
import type { createCountLosses } from '../losses.ts';
import { aboutKeys, idempotencyKey, keyed, networkOrKey } from '../steps.ts';
import type { UploadMetrics } from '../upload-metrics.ts';
import { createCollectBody } from './collect-body.ts';
import { elementsOf, elementsOrWhole, linesOf } from './lines.ts';
import type { createStoreBatch } from './store-batch.ts';
import { type createTellVersion, versionOf, versionPattern } from './tell-version.ts';
import { type createValidateLines, explainLines } from './validate-lines.ts';

/** The first three are NDJSON. */
const types = ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/json'];

const BatchHeaders = Type.Object({
  ...IdempotencyKey.properties,
  'sluice-schema-version': Type.Optional(
    Type.String({
      pattern: versionPattern,
      description: 'The version of the schema that the sender was made from.',
    }),
  ),
});

/** Sent if `Sluice-Schema-Version` of the request is another version than the one in force. */
const versionHeaders = {
  'Sluice-Schema-Version': Int('The version in force, if the request names another.'),
  'Sluice-Schema-Change': Text(
    'What it does to entries since the version of the request: `stricter` if it may refuse some, else `looser`.',
  ),
};

interface Steps extends Pick<Dependencies, 'cache' | 'config' | 'capacity' | 'keyring'> {
  storeBatch: ReturnType<typeof createStoreBatch>;
  tellVersion: ReturnType<typeof createTellVersion>;
  validateLines: ReturnType<typeof createValidateLines>;
  rates: UploadRates;
  countLoss: ReturnType<ReturnType<typeof createCountLosses>>;
  metrics: UploadMetrics;
}

/** Batches: many entries in one request. They are open like uploads. */
export const batchRoutes: FastifyPluginAsyncTypebox<Steps> = async (
  app,
  { cache, keyring, storeBatch, tellVersion, validateLines, rates, capacity, config, countLoss, metrics },
) => {
  const { batchLimit } = config;
  tagRoutes(app, 'Uploads', { security: keyed });
  const { begin, collect, during } = createCollectBody(batchLimit, capacity.batches);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(types, (request: FastifyRequest, stream: IncomingMessage) => {
    takeParameters(request);
    return collect(request, stream);
  });

  const taking = {
    bodyLimit: batchLimit,
    validatorCompiler: onlyQueries(app),
    config: { isUpload: true as const, takes: 'application/x-ndjson or application/json' },
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => begin(request, reply),
  };

  /** Resolves with who sent the batch. Call after the body, whose arrival may take long: the key may be revoked meanwhile. */
  async function admit({ params, headers }: FastifyRequest): Promise<Sent | undefined> {
    const { domain } = params as Static<typeof ByDomain>;
    const application = cache.peek(domain) ?? (await cache.get(domain));
    return application && mustBeAdmitted(application, headers)
      ? keyring.admit(application, headers)
      : undefined;
  }

  /** Costs nothing where the sender names no version. */
  async function compareVersion({ params, headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const sent = versionOf(headers);
    const application = sent && (await cache.get((params as Static<typeof ByDomain>).domain));
    if (application) await tellVersion(reply, application, sent);
  }

  const spend = (reply: FastifyReply, sent: Sent | undefined) => (application: string, entries: number) => {
    const told = rates.take(application, sent, entries);
    if (told) reply.headers(told);
  };

  const told = { ...versionHeaders, ...rateLimited.headers };
  const isJson = (contentType = '') => /^application\/json\s*(;|$)/i.test(contentType);

  function notEmpty(body: unknown): Buffer {
    if (Buffer.isBuffer(body) && body.length > 0) return body;
    throw new ApiError('MalformedBodyError', 'the body is empty');
  }

  app.post(
    '/applications/:domain/data/batch',
    {
      ...taking,
      errorHandler: countLoss,
      onResponse: metrics.onResponse,
      ...operation('uploadBatch', 'Upload many entries', {
        description:
          'Send a JSON array of objects, or NDJSON with one object per line. `errors` names the refused lines, the others are stored. The first 100 errors have up to 20 `details` each, the others have one. With an `Idempotency-Key`, a retry must send the same bytes and the same `atomic`.' +
          aboutKeys,
        params: ByDomain,
        headers: BatchHeaders,
        querystring: BatchQuery,
        body: {
          content: {
            'application/json': {
              schema: Type.Array(NewEntry, {
                examples: [[{ celsius: 21.5 }, { celsius: 22 }]],
              }),
            },
            'application/x-ndjson': { schema: Ndjson },
          },
        },
        response: {
          201: { ...Success(BatchResult, 'All lines are stored.'), headers: told },
          207: {
            ...Success(BatchResult, 'Some lines are stored; `errors` names the others.', partlyRefused),
            headers: told,
          },
          ...ownFailures('ForbiddenRequestError', 'ResourceConflictError'),
          422: FailureWith(
            'BatchFailure',
            LineError,
            '`SchemaValidationError`: no line is stored; `error.details` names the refused lines.',
          ),
          ...overRate,
        },
      }),
    },
    async (request, reply) => {
      const { params, query, body, headers } = request;
      const sent = await admit(request);
      const key = idempotencyKey(headers);
      await compareVersion(request, reply);
      const bytes = notEmpty(body);
      const lines = (isJson(headers['content-type']) ? elementsOf : linesOf)(bytes, batchLines);
      const batch = {
        lines,
        body: bytes,
        atomic: query.atomic === true,
        key,
        spend: spend(reply, sent),
        sent,
        sender: networkOrKey(request.ip, sent),
      };
      const result = await during(request, () => storeBatch(params.domain, batch));
      for (const { name } of result.errors) metrics.refused(name);
      return success(reply, result, result.rejected === 0 ? 201 : 207);
    },
  );

  app.post(
    '/applications/:domain/data/validate',
    {
      ...taking,
      ...operation('validateEntries', 'Validate entries without storing them', {
        description:
          'Send a JSON object, a JSON array of objects, or NDJSON. The answer is that of a batch. Each entry counts towards the rate limit of uploads. `Idempotency-Key` is ignored.' +
          aboutKeys,
        params: ByDomain,
        querystring: BatchQuery,
        body: {
          content: {
            'application/json': { schema: Type.Unknown({ examples: [{ celsius: 21.5 }] }) },
            'application/x-ndjson': { schema: Ndjson },
          },
        },
        response: {
          200: {
            ...Success(BatchResult, '`accepted` lines would be stored; `errors` names the others.', {
              accepted: 1,
              rejected: 0,
              errors: [],
            }),
            ...rateLimited,
          },
          ...ownFailures('ForbiddenRequestError'),
          ...overRate,
        },
      }),
    },
    async (request, reply) => {
      const { params, query, body, headers } = request;
      const sent = await admit(request);
      const lines = (isJson(headers['content-type']) ? elementsOrWhole : linesOf)(notEmpty(body), batchLines);
      const signal = abortOnClose(reply);
      const result = await during(request, async (): Promise<BatchResult> => {
        const application = await cache.get(params.domain);
        if (!application) throw applicationNotFound(params.domain);
        // Validation costs as much as storing.
        spend(reply, sent)(application.id, lines.length);
        const failures: LineFailure[] = [];
        let valid = 0;
        for await (const { entries } of validateLines(application, lines, failures)) {
          if (signal.aborted) break;
          valid += entries.length;
        }
        await explainLines(failures);
        const accepted = query.atomic && failures.length > 0 ? 0 : valid;
        return { accepted, rejected: failures.length, errors: failures.map(toLineError) };
      });
      return success(reply, result);
    },
  );
};

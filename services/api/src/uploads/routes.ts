import { createRecordFields } from '@sluice/intake/intake.ts';
import type { FailedLine } from '@sluice/intake/line.ts';
import { fateOf, toApiError } from '@sluice/intake/line-errors.ts';
import type { RefusedUpload } from '@sluice/intake/refused/refused-upload.ts';
import { onceBy } from '@sluice/intake/unique.ts';
import { createUploadValidator } from '@sluice/intake/upload-validator.ts';
import { withoutByteOrderMark } from '@sluice/json/byte-order-mark.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { Outcome, NewEntry as Storable } from '@sluice/store/entries/entries.ts';
import { type EntryId, idOfKey } from '@sluice/store/entries/entry-id.ts';
import { hashIdempotencyKey } from '@sluice/store/entries/once.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Routes } from '../dependencies.ts';
import { createSendAtOnce, Success } from '../http/answers.ts';
import { noteBeginningOfChunks } from '../http/beginnings.ts';
import { takeJsonBytes } from '../http/json-body.ts';
import { ByDomain, operation, overRate, ownFailures, rateLimited } from '../http/route-parts.ts';
import { Text } from '../http/schemas.ts';
import { onlyQueries } from '../http/validation.ts';
import type { CachedApplication } from '../known/applications.ts';
import { mustBeAdmitted } from '../known/keyring.ts';
import { capacities } from '../limits/table.ts';
import { createUploadRates } from '../limits/upload-rate.ts';
import { isArray } from './batch/lines.ts';
import { batchRoutes } from './batch/routes.ts';
import { createStoreBatch } from './batch/store-batch.ts';
import { createTellVersion } from './batch/tell-version.ts';
import { createValidateLines } from './batch/validate-lines.ts';
import { IdempotencyKey, NewEntry, Upload } from './contract.ts';
import { commitSizes, createCommit } from './group-commit.ts';
import { createCountLosses } from './losses.ts';
import { aboutKeys, idempotencyKey, keyed, keyOf, networkOrKey, senderOf } from './steps.ts';
import { createCommitMetrics, createUploadMetrics, monitorCommit } from './upload-metrics.ts';

const sendBatch = (domain: string) =>
  `one object is expected; send arrays to /api/applications/${domain}/data/batch`;

/** A stored upload; `json` is the payload as it was sent. */
interface Accepted {
  json: Buffer;
  id: EntryId;
}

/** Uploads and batches. They are open to anyone who knows the domain, unless it requires a key; login tokens are ignored. */
export const uploadRoutes: Routes = async (
  app,
  {
    store,
    compiler,
    cache,
    keyring,
    redis,
    quotas: { checkUpload },
    capacity,
    config,
    metrics,
    refusalRecorder,
    log,
    lifecycle,
  },
) => {
  const recordFields = createRecordFields(store.fields);
  const uploadValidator = createUploadValidator(recordFields, {
    capacity: capacity.largeUploads,
    waitMs: capacities.largeUploads.waitMs,
  });
  const rates = createUploadRates(config.uploadRate, redis, config.redis);
  app.addHook('onClose', async () => {
    rates.close();
    await uploadValidator.close();
  });
  const onCommit = createCommitMetrics(metrics);
  const { batches, entries, senders } = store;
  const commit = createCommit(entries.insert, capacity.uploads, commitSizes, onCommit);
  monitorCommit(commit, metrics);
  const uploads = createUploadMetrics('single', metrics);
  const batchUploads = createUploadMetrics('batch', metrics);
  const validateLines = createValidateLines(config.bodyLimit, uploadValidator, log);
  const storeBatch = createStoreBatch({
    cache,
    commit,
    recordFields,
    senders,
    batches,
    entries,
    validateLines,
    checkUpload,
    refusalRecorder,
    metrics: batchUploads,
  });
  const countLosses = createCountLosses({
    applications: store.applications,
    cache,
    keyring,
    refusalRecorder,
  });
  await app.register(batchRoutes, {
    countLoss: countLosses('batch'),
    cache,
    keyring,
    storeBatch,
    validateLines,
    rates,
    capacity,
    config,
    tellVersion: createTellVersion({ store, compiler }),
    metrics: batchUploads,
  });
  takeJsonBytes(app);
  const sendAtOnce = createSendAtOnce(lifecycle);

  /** An upload, and what tells it from others. */
  type Attempt = Pick<RefusedUpload, 'payload' | 'idempotencyHash' | 'sender' | 'key'> & {
    value?: Buffer | undefined;
  };

  function toFault(
    application: CachedApplication,
    attempt: Attempt,
    { kind, refusal }: FailedLine,
  ): ApiError {
    if (kind === 'duplicate') {
      const { value: _, ...upload } = attempt;
      refusalRecorder.note(application, { source: 'upload', reason: 'duplicate', refusal, ...upload });
    }
    return toApiError(refusal);
  }

  /** The entry that a request with the same key or value stored. Throws ApiError if its payload differs. `isRefused`: only if the key is the same. */
  async function findBefore(
    application: CachedApplication,
    attempt: Attempt,
    isRefused = false,
  ): Promise<Accepted | undefined> {
    const { payload, idempotencyHash, value } = attempt;
    if (!idempotencyHash && !value) return undefined;
    const sought = { json: payload, ...onceBy(application, value, idempotencyHash) };
    const [before] = await entries.before(application.id, [sought]);
    if (!before) return undefined;
    if (isRefused && before.outcome === 'duplicate')
      return idempotencyHash && findBefore(application, { ...attempt, value: undefined });
    const fate = fateOf(before.outcome, application.unique);
    if ('refusal' in fate) throw toFault(application, attempt, fate);
    uploads.repeated();
    return { json: withoutByteOrderMark(payload), id: idOfKey(before.key) };
  }

  /** Stores one upload. Resolves once the entry is durable, also for a retry. Throws ApiError. */
  async function accept(
    domain: string,
    body: Buffer,
    request: Pick<FastifyRequest, 'headers' | 'ip'>,
    reply: FastifyReply,
  ): Promise<Accepted> {
    const { headers } = request;
    const key = idempotencyKey(headers);
    const application = cache.peek(domain) ?? (await cache.get(domain));
    if (!application) throw applicationNotFound(domain);
    const sent = mustBeAdmitted(application, headers) ? await keyring.admit(application, headers) : undefined;
    checkUpload?.(application.owner);
    const told = rates.take(application.id, sent, 1);
    if (told) reply.headers(told);
    const idempotencyHash = key === undefined ? undefined : hashIdempotencyKey('upload', application.id, key);
    const judged = await uploadValidator.validate(application, body);
    const sender = networkOrKey(request.ip, sent);
    const attempt = { payload: body, idempotencyHash, sender, key: keyOf(sent), value: judged.value };
    if (judged.kind === 'refused') {
      // An earlier schema or a replay may have accepted it.
      const isJson = judged.refusal.name !== 'MalformedBodyError';
      const before = isJson && (await findBefore(application, attempt, true));
      if (before) return before;
      const refusal = await judged.explain();
      const isBatch = refusal.name === 'SchemaValidationError' && isArray(body);
      const told = isBatch ? { ...refusal, message: sendBatch(domain) } : refusal;
      refusalRecorder.note(application, {
        source: 'upload',
        refusal: told,
        payload: body,
        idempotencyHash,
        sender,
        key: keyOf(sent),
      });
      throw toApiError(told);
    }
    const { json, bson, fields } = judged;
    if (fields.length > 0) {
      // A retry with another payload must not record its fields.
      const before = await findBefore(application, attempt);
      if (before) return before;
      await recordFields.record(application, new Set(fields));
    }
    const { id, owner, version } = application;
    if (sent) sent.number ??= await senders.numberOf(id, senderOf('upload', sent));
    const by = sent?.number;
    const once = onceBy(application, judged.value, idempotencyHash);
    const entry: Storable = { application: id, json, bson, version, by, ...once };
    const [outcome] = await commit.add([entry], bson.length, 'uploads', owner);
    const fate = fateOf(outcome as Outcome, application.unique);
    if ('refusal' in fate) throw toFault(application, attempt, fate);
    uploads[fate.kind]();
    return { json, id: idOfKey(entry.key as NonNullable<Storable['key']>) };
  }

  app.post(
    '/applications/:domain/data',
    {
      bodyLimit: config.bodyLimit,
      validatorCompiler: onlyQueries(app),
      config: { isUpload: true },
      preParsing: noteBeginningOfChunks,
      errorHandler: countLosses('upload'),
      onResponse: uploads.onResponse,
      ...operation('uploadEntry', 'Upload an entry', {
        description: `Send one JSON object that conforms to the schema of the application. The answer comes once it is stored safely.${aboutKeys}`,
        tags: ['Uploads'],
        security: keyed,
        params: ByDomain,
        headers: IdempotencyKey,
        body: NewEntry,
        response: {
          201: {
            ...Success(Upload, 'Stored.'),
            headers: {
              'Entry-Id': Text('Id of the entry.'),
              ...rateLimited.headers,
            },
          },
          ...ownFailures('ForbiddenRequestError', 'ResourceConflictError', 'SchemaValidationError'),
          ...overRate,
        },
      }),
    },
    async (request, reply) => {
      const {
        params: { domain },
        body,
      } = request;
      if (!Buffer.isBuffer(body)) throw new ApiError('MalformedBodyError', 'the body is empty');
      const { json, id } = await accept(domain, body, request, reply);
      // The payload's own text is exact JSON. Bytes that are read as Latin-1 are written as the same bytes.
      const payload = json.toString('latin1');
      const data = `{"domain":"${domain}","payload":${payload}}`;
      return sendAtOnce(reply, 201, { 'entry-id': id }, `{"success":true,"status":201,"data":${data}}`);
    },
  );
};

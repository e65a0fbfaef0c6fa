import { toJson } from '@sluice/json/numbers.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import { hashIdempotencyKey, hashUniqueValue, isUniqueValue } from '@sluice/store/entries/once.ts';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { isIngestKey } from '../accounts/auth.ts';
import type { Routes } from '../dependencies.ts';
import { Success, sendJson } from '../http/answers.ts';
import { findApplication, type OfApplication } from '../http/find-application.ts';
import { ByDomain, operation, overLimit, ownFailures, tagRoutes } from '../http/route-parts.ts';
import { idempotencyKeyPattern, Named, Strict } from '../http/schemas.ts';
import { createSlices } from '../http/slices.ts';
import { refuseValue, toValues, UniqueValues } from '../http/unique-values.ts';

const most = 10_000;

const MissingRequest = Strict(
  { title: 'MissingRequest', examples: [{ keys: ['order-1', 'order-2'] }] },
  {
    keys: Type.Optional(
      Type.Array(Type.String({ pattern: idempotencyKeyPattern }), {
        maxItems: most,
        description: 'Idempotency keys of uploads and batches.',
      }),
    ),
    values: Type.Optional(UniqueValues(most)),
  },
);

const Missing = Named('Missing', {
  missing: Type.Array(Type.Unknown(), {
    description: 'The keys or values that are not stored, in the order of the request.',
    examples: [['order-2']],
  }),
});

/** A key or a value, and the hashes under which it is stored. */
interface Asked {
  asked: unknown;
  entry: Buffer;
  batch?: Buffer;
}

/** Says which keys or values are not stored. */
export const missingRoutes: Routes = async (
  app,
  { store: { applications, senders, delivered }, cache, keyring, capacity: { pageReads } },
) => {
  tagRoutes(app, 'Entries', { security: [{ bearer: [] }, { ingestKey: [] }] });

  /** Whose turn it is to read, of which application, and the ingest key that asks. Throws ApiError. */
  async function admit(request: OfApplication & Pick<FastifyRequest, 'headers'>) {
    if (!isIngestKey(request.headers)) {
      const { id, unique } = await findApplication(applications, request);
      return { id, unique, client: request.owner.id, key: undefined };
    }
    const { domain } = request.params;
    const application = await cache.get(domain);
    if (!application) throw applicationNotFound(domain);
    const sent = await keyring.admit({ ...application, keyRequired: true }, request.headers);
    if (!sent || sent.user)
      throw new ApiError('ForbiddenRequestError', `this is not a valid ingest key of ${domain}`);
    const { id, unique, owner } = application;
    return { id, unique, client: owner, key: sent.id };
  }

  async function hash(all: unknown[], toAsked: (one: unknown, at: number) => Asked): Promise<Asked[]> {
    const hashed: Asked[] = [];
    const slices = createSlices();
    for (const [at, one] of all.entries()) {
      await slices.rest();
      hashed.push(toAsked(one, at));
    }
    return hashed;
  }

  app.post(
    '/applications/:domain/data/missing',
    {
      bodyLimit: 2 * 1024 ** 2,
      onRequest: async (request, reply) => {
        if (!isIngestKey(request.headers)) await app.authenticate(request, reply);
      },
      ...operation('listMissing', 'Find what is not stored', {
        description: `Takes up to ${most.toLocaleString('en')} idempotency keys, or values of the member that is \`unique\`. The answer has those that are not stored; all that was acknowledged before the request is. The key of a batch counts as stored when each line is stored, or was refused for its content. With an ingest key, what another sender stored is missing.`,
        params: ByDomain,
        body: MissingRequest,
        response: { 200: Success(Missing), ...overLimit, ...ownFailures('ForbiddenRequestError') },
        config: { role: 'reader', listsAsText: ['values'] },
      }),
    },
    async (request, reply) => {
      const { keys, values } = request.body;
      if ((keys === undefined) === (values === undefined))
        throw new ApiError('InvalidRequestError', 'send either `keys` or `values`');
      const { id, unique, client, key } = await admit(request);
      const path = unique?.path ?? '';
      if (values !== undefined && !unique)
        throw new ApiError(
          'InvalidRequestError',
          `${request.params.domain} has no \`unique\` member: ask by keys`,
        );
      const missing = await pageReads.runInFairOrder(client, async () => {
        const asked = await (values === undefined
          ? hash(keys as string[], (one) => ({
              asked: one,
              entry: hashIdempotencyKey('upload', id, one as string),
              batch: hashIdempotencyKey('batch', id, one as string),
            }))
          : hash(toValues(values, most), (one, at) => ({
              asked: one,
              entry: isUniqueValue(one)
                ? hashUniqueValue(id, path, one)
                : refuseValue(`/values/${at}`, 'must be a string, a number or a boolean'),
            })));
        const found = await delivered.senders(id, {
          entries: asked.map(({ entry }) => entry),
          batches: asked.flatMap(({ batch }) => batch ?? []),
        });
        // Read afterwards: an entry's sender is numbered before the entry is stored.
        const own = key === undefined ? undefined : new Set(await senders.ofKey(id, key));
        const isStored = (hashed: Buffer | undefined) => {
          const sender = hashed && found.get(hashed.toString('hex'));
          return sender !== undefined && (own?.has(sender) ?? true);
        };
        return asked.filter(({ entry, batch }) => !isStored(entry) && !isStored(batch));
      });
      return sendJson(reply, toJson({ missing: missing.map(({ asked }) => asked) }));
    },
  );
};

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Upload } from '@sluice/shared/contracts/entries.ts';
import { Success } from '@sluice/shared/contracts/envelope.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import Type from 'typebox';
import { success } from '../plugins/envelope.ts';
import { takeJsonBytes } from '../plugins/json-body.ts';
import type { createAccept } from '../uploads/accept.ts';
import { ByDomain, failures } from './common.ts';

interface Dependencies {
  accept: ReturnType<typeof createAccept>;
  bodyLimit: number;
}

/** Uploads: open to anyone who knows the domain; a token that comes along is not looked at. */
export const uploadRoutes: FastifyPluginAsyncTypebox<Dependencies> = async (app, { accept, bodyLimit }) => {
  takeJsonBytes(app);

  app.post(
    '/applications/:domain/data',
    {
      bodyLimit,
      // The bytes are checked by `accept`; the schema here only describes them.
      validatorCompiler: () => () => true,
      schema: {
        summary: 'Upload an entry',
        description:
          "One JSON object that conforms to the application's schema. Answered once it is durable.",
        tags: ['Uploads'],
        params: ByDomain,
        body: Type.Object({}, { additionalProperties: true }),
        response: { 201: Success(Upload, 'Stored.'), ...failures },
      },
    },
    async ({ params, body, headers }, reply) => {
      // Taking the key without keeping its promise would store a retry twice.
      if (headers['idempotency-key'] !== undefined) {
        throw new ApiError(
          'InvalidRequestError',
          'the header Idempotency-Key is not supported by this version',
        );
      }
      if (!Buffer.isBuffer(body)) throw new ApiError('MalformedBodyError', 'the body is empty');
      return success(reply, await accept(params.domain, body), 201);
    },
  );
};

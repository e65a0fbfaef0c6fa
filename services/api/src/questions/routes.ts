import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Routes } from '../dependencies.ts';
import { Success, sendJson } from '../http/answers.ts';
import { acceptAnswer, createAskWorker } from '../http/ask-worker.ts';
import { abortOnClose } from '../http/connections/connections.ts';
import { findApplication } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { type AnswerType, answerTypes, QuestionAnswer, QuestionRequest } from './contract.ts';

const file = (description: string) => ({ schema: { type: 'string', format: 'binary', description } });

/** Questions over all entries of an application. Query workers answer them. */
export const questionRoutes: Routes = async (app, { store, config, capacity, log }) => {
  const ask = createAskWorker(config, log);
  bearerRoutes(app, 'Questions', 'reader');

  app.post(
    '/applications/:domain/query',
    operation('query', 'Ask', {
      description:
        'Answers one SELECT over the view `entries`: its columns are those of Parquet files of archives, with `id`, `schema_version`, `source`, `key` and `payload`. ' +
        '`Accept` chooses JSON, CSV, NDJSON or Parquet. The header `Sluice-As-Of` says up to when every entry is in the answer, `Sluice-Truncated` whether there are more rows.',
      params: ByDomain,
      body: QuestionRequest,
      response: {
        200: {
          description: 'The answer.',
          content: {
            'application/json': { schema: Success(QuestionAnswer) },
            'text/csv': file('A line for each row, behind a header.'),
            'application/x-ndjson': file('An object for each row.'),
            'application/vnd.apache.parquet': file('A file with the rows.'),
          },
        },
        ...ownFailures('ServiceUnavailableError'),
        ...overLimit,
      },
    }),
    async (request, reply) => {
      const { id, domain, owner } = await findApplication(store.applications, request);
      const format = formatOf(request);
      const { sql, params = [] } = request.body;
      const asked = { application: id, domain, owner: owner.id, sql, params, format };
      const response = await ask('/questions', asked, abortOnClose(reply));
      acceptAnswer(reply, response, capacity, owner.id);
      reply.header('sluice-truncated', response.headers.get('sluice-truncated'));
      const bytes = Buffer.from(await response.arrayBuffer());
      if (format === 'json') return sendJson(reply, bytes.toString());
      return reply.type(answerTypes[format]).send(bytes);
    },
  );
};

/** The format that the client likes best; JSON if it likes none of them. */
function formatOf(request: FastifyRequest): AnswerType {
  const formats = Object.keys(answerTypes) as AnswerType[];
  const [type] = new Negotiator(request).mediaTypes(Object.values(answerTypes));
  return formats.find((format) => answerTypes[format] === type) ?? 'json';
}

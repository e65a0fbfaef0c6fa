import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success } from '../http/answers.ts';
import { QueryFilter, toConditions } from '../http/filter.ts';
import { findApplication } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { Int, Named, Query, Text, Timestamp } from '../http/schemas.ts';
import { createSendJsonAnswer } from '../http/send-json-answer.ts';
import { toPeriod } from '../http/validation.ts';

const Scalar = (description: string, example: unknown) => Type.Unknown({ description, examples: [example] });
const Share = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: 1, description, examples: [example] });

const Field = Named('Field', {
  path: Text('As a filter names the field.', 'celsius'),
  types: Type.Array(
    Named('FieldType', {
      type: Type.Enum(['string', 'number', 'boolean', 'array', 'object'], { title: 'FieldTypeName' }),
      share: Share('Share of the entries where the field has this type.', 0.98),
    }),
    { description: 'The types that occur, the most frequent first.' },
  ),
  null_share: Share(
    'Share of the entries where the field is null or missing: how often it is not filled.',
    0.02,
  ),
  distinct: Int(
    'Different strings, numbers and booleans. An estimate in more than 50,000 entries where most entries have a value of their own.',
    240,
  ),
  top: Type.Array(
    Named('FieldValue', {
      value: Scalar('A string, a number or a boolean, as entries have it.', 21.5),
      count: Int('Entries with this value, exactly.', 12),
    }),
    {
      description:
        'The ten most frequent strings, numbers and booleans. Texts beyond 200 bytes are left out. Where most of more than 10,000 entries have a value of their own, only values that a sample of the entries has often.',
    },
  ),
  min: Type.Optional(Scalar('The least number, or the first time.', -12.5)),
  max: Type.Optional(Scalar('The greatest number, or the last time.', 38)),
  histogram: Type.Optional(
    Type.Array(
      Named('FieldBin', {
        from: Scalar('Where the bin begins: a number or a time.', 20),
        to: Scalar('Where it ends. A value there is in the next bin, if there is one.', 25),
        count: Int('Entries with a value in between.', 31),
      }),
      {
        description:
          'Of numbers, and of fields with `format` `date` or `date-time`: about twenty bins of equal width.',
      },
    ),
  ),
});

const FieldsQuery = Query({ filter: QueryFilter, from: Timestamp, to: Timestamp });

/** What the fields of entries hold. Query workers know it. */
export const fieldsRoutes: Routes = async (app, dependencies) => {
  const { store } = dependencies;
  const sendAnswer = createSendJsonAnswer(dependencies);
  bearerRoutes(app, 'Entries');

  app.get(
    '/applications/:domain/fields',
    operation('getFields', 'Describe the fields of entries', {
      description:
        'What each field holds, over all entries that the filter selects: types, how often it is filled, the most frequent values, a histogram. ' +
        'The fields are the columns of exports, without the time of the entry. The header `Sluice-As-Of` says up to when every entry is counted.',
      params: ByDomain,
      querystring: FieldsQuery,
      response: {
        200: Success(Type.Array(Field)),
        ...ownFailures('ServiceUnavailableError'),
        ...overLimit,
      },
    }),
    async (request, reply) => {
      const { filter } = request.query;
      const period = toPeriod(request.query);
      const conditions = filter === undefined ? [] : toConditions(filter);
      const application = await findApplication(store.applications, request);
      return sendAnswer(reply, application, '/fields', { conditions, ...period });
    },
  );
};

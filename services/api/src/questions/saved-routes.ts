import { ApiError } from '@sluice/shared/errors.ts';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { findApplication } from '../http/find-application.ts';
import { notFound } from '../http/refusals.ts';
import { ByDomain, bearerRoutes, byId, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { quotaReached } from '../limits/quota.ts';
import { quotas } from '../limits/table.ts';
import { NewQuestion, SavedQuestion, toSavedQuestion } from './contract.ts';

const path = '/applications/:domain/queries';
const { limit } = quotas.questions;

/** Questions with names, which members of an application share. */
export const savedQuestionRoutes: Routes = async (app, { store, audit }) => {
  const { applications, savedQuestions } = store;
  bearerRoutes(app, 'Questions');

  app.get(
    path,
    operation('listQuestions', 'List saved questions', {
      description: 'By name.',
      params: ByDomain,
      response: { 200: Success(Type.Array(SavedQuestion)) },
    }),
    async (request, reply) => {
      const { id } = await findApplication(applications, request);
      return success(reply, (await savedQuestions.list(id)).map(toSavedQuestion));
    },
  );

  app.post(
    path,
    operation('saveQuestion', 'Save a question', {
      description: `Members see it, and can ask it. The SQL is not checked. An application has at most ${limit}.`,
      params: ByDomain,
      body: NewQuestion,
      response: { 200: Success(SavedQuestion), ...ownFailures('ResourceConflictError'), ...overLimit },
    }),
    async (request, reply) => {
      const { name, sql } = request.body;
      const { id, domain } = await findApplication(applications, request);
      const fields = { name, sql, createdBy: request.owner.username };
      const saved = await savedQuestions.create(id, fields, limit);
      if (saved === 'full') throw quotaReached('questions', limit);
      if (saved === 'taken')
        throw new ApiError('ResourceConflictError', `there is a question with the name ${name}`);
      await audit.note(request, {
        action: 'question.saved',
        application: domain,
        details: { question: saved.id },
        after: { name },
      });
      return success(reply, toSavedQuestion(saved));
    },
  );

  app.delete(
    `${path}/:id`,
    operation('deleteQuestion', 'Delete a saved question', {
      params: byId('question'),
      response: { 200: SuccessMessage('Deleted.', 'question 66f1c2a4e8b5d70912345678 was deleted') },
    }),
    async (request, reply) => {
      const { id, domain } = await findApplication(applications, request);
      const question = request.params.id;
      const saved = (await savedQuestions.list(id)).find((one) => one.id === question);
      if (!saved || !(await savedQuestions.remove(id, question))) throw notFound('question', question);
      const event = { application: domain, details: { question }, before: { name: saved.name } };
      await audit.note(request, { action: 'question.deleted', ...event });
      return success(reply, { message: `question ${question} was deleted` });
    },
  );
};

import { ApiError } from '@sluice/shared/errors.ts';
import type { SavedView as Saved } from '@sluice/store/views/saved-views.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { findApplication, type OfApplication, requireRole } from '../http/find-application.ts';
import { forbidden, notFound } from '../http/refusals.ts';
import { ByDomain, bearerRoutes, byId, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { quotaReached } from '../limits/quota.ts';
import { quotas } from '../limits/table.ts';
import { NewView, SavedView, toSavedView } from './contract.ts';

const path = '/applications/:domain/views';
const { limit } = quotas.views;
/** Each member keeps private views. */
const byMembers = { role: 'reader', scope: 'write' } as const;
const forEditors = 'Only editors and the owner change shared ones.';

type Chosen = Static<typeof NewView>;

const chosenOf = ({ name, query, shared = false }: Chosen) => ({ name, query, isShared: shared });

/** Why a view was not saved. */
const refusalOf = (why: 'full' | 'taken', { name, shared }: Chosen): ApiError =>
  why === 'full'
    ? quotaReached(shared ? 'views' : 'privateViews', limit)
    : new ApiError(
        'ResourceConflictError',
        `there is a ${shared ? 'shared' : 'private'} view with the name ${name}`,
      );

/** Selections of entries with names, which members keep for themselves or share. */
export const viewRoutes: Routes = async (app, { store, audit }) => {
  const { applications, savedViews } = store;
  bearerRoutes(app, 'Views');

  /** The application, and the view of the user. Throws ApiError. */
  async function find(request: OfApplication & { params: { id: string } }) {
    const application = await findApplication(applications, request);
    const { id } = request.params;
    const view = await savedViews.get(application.id, request.owner.id, id);
    if (!view) throw notFound('view', id);
    if (view.isShared) requireRole(application, request.owner, 'editor');
    return { application, view };
  }

  /** What members see of a view; undefined if it is private. */
  const settingsOf = ({ isShared, name, query }: Omit<Saved, 'id' | 'createdAt' | 'createdBy'>) =>
    isShared ? { name, query } : undefined;

  app.get(
    path,
    operation('listViews', 'List saved views', {
      description: 'Shared ones and your own, by name.',
      params: ByDomain,
      response: { 200: Success(Type.Array(SavedView)) },
    }),
    async (request, reply) => {
      const { id } = await findApplication(applications, request);
      return success(reply, (await savedViews.list(id, request.owner.id)).map(toSavedView));
    },
  );

  app.post(
    path,
    operation('saveView', 'Save a view', {
      description: `A view is a selection of entries, as the console shows it. ${forEditors} An application has at most ${limit} shared ones, and each member ${limit} private ones.`,
      params: ByDomain,
      body: NewView,
      response: { 200: Success(SavedView), ...ownFailures('ResourceConflictError'), ...overLimit },
      config: byMembers,
    }),
    async (request, reply) => {
      const { body, owner } = request;
      const application = await findApplication(applications, request);
      if (body.shared) requireRole(application, owner, 'editor');
      const fields = { ...chosenOf(body), createdBy: owner.username };
      const saved = await savedViews.create(application.id, owner.id, fields, limit);
      if (typeof saved === 'string') throw refusalOf(saved, body);
      const after = settingsOf(saved);
      const event = { application: application.domain, details: { view: saved.id }, after };
      if (after) await audit.note(request, { action: 'view.saved', ...event });
      return success(reply, toSavedView(saved));
    },
  );

  app.put(
    `${path}/:id`,
    operation('updateView', 'Change a saved view', {
      description: `${forEditors} Only who saved a view makes it private.`,
      params: byId('view'),
      body: NewView,
      response: { 200: Success(SavedView), ...ownFailures('ResourceConflictError'), ...overLimit },
      config: byMembers,
    }),
    async (request, reply) => {
      const { body, owner } = request;
      const { application, view } = await find(request);
      if (body.shared) requireRole(application, owner, 'editor');
      if (view.isShared && !body.shared && view.createdBy !== owner.username)
        throw forbidden(`only ${view.createdBy}, who saved the view, can make it private`);
      const chosen = chosenOf(body);
      const updated = await savedViews.update(application.id, owner.id, view.id, chosen, limit);
      if (!updated) throw notFound('view', view.id);
      if (updated !== 'updated') throw refusalOf(updated, body);
      const [before, after] = [settingsOf(view), settingsOf(chosen)];
      const event = { application: application.domain, details: { view: view.id }, before, after };
      if (before || after) await audit.note(request, { action: 'view.updated', ...event });
      return success(reply, toSavedView({ ...view, ...chosen }));
    },
  );

  app.delete(
    `${path}/:id`,
    operation('deleteView', 'Delete a saved view', {
      description: forEditors,
      params: byId('view'),
      response: { 200: SuccessMessage('Deleted.', 'view 66f1c2a4e8b5d70912345678 was deleted') },
      config: byMembers,
    }),
    async (request, reply) => {
      const { application, view } = await find(request);
      if (!(await savedViews.remove(application.id, request.owner.id, view.id)))
        throw notFound('view', view.id);
      const before = settingsOf(view);
      const event = { application: application.domain, details: { view: view.id }, before };
      if (before) await audit.note(request, { action: 'view.deleted', ...event });
      return success(reply, { message: `view ${view.id} was deleted` });
    },
  );
};

import type { AuditPlace, AuditRecord } from '@sluice/store/accounts/audit.ts';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { fromCursor, toCursor } from '../http/pages.ts';
import { operation, ownerRoutes } from '../http/route-parts.ts';
import { type AuditEvent, AuditPage, AuditQuery } from './contract.ts';

const toEvent = ({ user: _, expiresAt: __, at, ...rest }: AuditRecord): AuditEvent => ({
  ...rest,
  at: at.toISOString(),
});

/** The time has six bytes, the id twelve. */
const toPlace = ({ at, id }: AuditPlace) => at.getTime().toString(16).padStart(12, '0') + id;
const fromPlace = (place: string): AuditPlace => ({
  at: new Date(Number.parseInt(place.slice(0, 12), 16)),
  id: place.slice(12),
});

/** The audit log of the user's own account. */
export const auditRoutes: Routes = async (app, { store }) => {
  ownerRoutes(app, 'Audit');

  app.get(
    '/audit',
    operation('listAuditEvents', 'List your audit events', {
      description: 'Your actions, and failed logins to your account, newest first.',
      querystring: AuditQuery,
      response: { 200: Success(AuditPage) },
    }),
    async ({ query: { limit = 100, after }, owner }, reply) => {
      const place = after === undefined ? undefined : fromPlace(fromCursor(after, 18));
      const found = await store.audit.page(owner.id, limit + 1, place);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return success(reply, {
        result: page.map(toEvent),
        ...(found.length > limit && last && { cursor: toCursor(toPlace(last)) }),
      });
    },
  );
};

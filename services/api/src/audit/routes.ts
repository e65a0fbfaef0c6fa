import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type AuditEvent, AuditPage, AuditQuery } from '@sluice/shared/contracts/audit.ts';
import { Success } from '@sluice/shared/contracts/envelope.ts';
import type { AuditRecord } from '@sluice/store/accounts/audit.ts';
import type { Dependencies } from '../dependencies.ts';
import { success } from '../http/envelope.ts';
import { ownerRoutes } from '../http/route-parts.ts';
import { fromCursor, toCursor } from './cursor.ts';

const toEvent = ({ user: _, expiresAt: __, at, ...rest }: AuditRecord): AuditEvent => ({
  ...rest,
  at: at.toISOString(),
});

/** The audit log, as far as it is about the own account. */
export const auditRoutes: FastifyPluginAsyncTypebox<Pick<Dependencies, 'store'>> = async (app, { store }) => {
  ownerRoutes(app, 'Audit');

  app.get(
    '/audit',
    {
      schema: {
        summary: 'List own actions, and what was tried on the own account, newest first',
        querystring: AuditQuery,
        response: { 200: Success(AuditPage) },
      },
    },
    async ({ query: { limit = 100, after }, owner }, reply) => {
      const place = after === undefined ? undefined : fromCursor(after);
      const found = await store.audit.page(owner.id, limit + 1, place);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return success(reply, {
        result: page.map(toEvent),
        ...(found.length > limit && last && { cursor: toCursor(last) }),
      });
    },
  );
};

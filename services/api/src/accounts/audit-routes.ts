import type { AuditPlace, AuditRecord } from '@sluice/store/accounts/audit.ts';
import { auditActions } from '@sluice/store/accounts/audit-actions.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { fromCursor, toCursor } from '../http/pages.ts';
import { bearerRoutes, operation } from '../http/route-parts.ts';
import { DateTime, Named, Query, Text } from '../http/schemas.ts';

const optional = Type.Optional(Type.String());

const AuditEvent = Named('AuditEvent', {
  id: Type.String({ examples: ['66f1c2a4e8b5d70912345678'] }),
  action: Type.Enum([...auditActions], { title: 'AuditAction', examples: ['application.created'] }),
  at: DateTime(),
  username: Type.String({ examples: ['ada'] }),
  address: Text('Address of the client.', '192.0.2.7'),
  requestId: Type.String({ examples: ['4b2f7a52-2f0f-4a43-8d4e-6c5cf1a0a9d1'] }),
  application: Type.Optional(Text('Domain of the application.', 'weather-station-k3v9q2')),
  job: optional,
  key: optional,
  details: Type.Optional(
    Type.Unknown({
      description:
        'More about the action. `user.login-failed` is written once a minute, `entries.expired` and `entries.archived` once a day and application, with `count` and `lastAt`.',
    }),
  ),
});

const AuditQuery = Query({
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Events per page.' }),
  after: Text('`cursor` of the previous page.'),
});

const AuditPage = Named('AuditPage', {
  result: Type.Array(AuditEvent),
  cursor: Type.Optional(Text('Send it as `after` to get the next page; absent on the last page.')),
});

type AuditEvent = Static<typeof AuditEvent>;

const toEvent = ({
  user: _,
  expiresAt: __,
  via: ___,
  token: ____,
  before: _____,
  after: ______,
  at,
  ...rest
}: AuditRecord): AuditEvent => ({
  ...rest,
  at: at.toISOString(),
});

/** The time has six bytes, the id twelve. */
const toPlace = ({ at, id }: AuditPlace) => at.getTime().toString(16).padStart(12, '0') + id;
const fromPlace = (place: string): AuditPlace => ({
  at: new Date(Number.parseInt(place.slice(0, 12), 16)),
  id: place.slice(12),
});

export const auditRoutes: Routes = async (app, { store }) => {
  bearerRoutes(app, 'Audit');

  app.get(
    '/audit',
    operation('listAuditEvents', 'List your audit events', {
      description: 'Your actions, and failed logins to your account, newest first.',
      querystring: AuditQuery,
      response: { 200: Success(AuditPage) },
    }),
    async ({ query: { limit = 100, after }, owner }, reply) => {
      const place = after === undefined ? undefined : fromPlace(fromCursor(after, 18));
      const found = await store.audit.page({ user: owner.id }, limit + 1, place);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return success(reply, {
        result: page.map(toEvent),
        ...(found.length > limit && last && { cursor: toCursor(toPlace(last)) }),
      });
    },
  );
};

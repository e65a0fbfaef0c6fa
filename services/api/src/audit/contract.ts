import { auditActions } from '@sluice/store/accounts/audit-actions.ts';
import Type, { type Static } from 'typebox';
import { Named, Query } from '../http/schemas.ts';

const optional = Type.Optional(Type.String());

export const AuditEvent = Named('AuditEvent', {
  id: Type.String({ examples: ['66f1c2a4e8b5d70912345678'] }),
  action: Type.Enum([...auditActions], { title: 'AuditAction', examples: ['application.created'] }),
  at: Type.String({ format: 'date-time' }),
  username: Type.String({ examples: ['ada'] }),
  address: Type.String({ description: 'Address of the client.', examples: ['192.0.2.7'] }),
  requestId: Type.String({ examples: ['4b2f7a52-2f0f-4a43-8d4e-6c5cf1a0a9d1'] }),
  application: Type.Optional(
    Type.String({ description: 'Domain of the application.', examples: ['weather-station-k3v9q2'] }),
  ),
  job: optional,
  key: optional,
  details: Type.Optional(
    Type.Unknown({
      description:
        'More about the action. `user.login-failed` is written once a minute, `entries.expired` once a day and application, with `count` and `lastAt`.',
    }),
  ),
});

export const AuditQuery = Query({
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Events per page.' }),
  after: Type.String({ description: '`cursor` of the previous page.' }),
});

export const AuditPage = Named('AuditPage', {
  result: Type.Array(AuditEvent),
  cursor: Type.Optional(
    Type.String({ description: 'Send it as `after` to get the next page; absent on the last page.' }),
  ),
});

export type AuditEvent = Static<typeof AuditEvent>;

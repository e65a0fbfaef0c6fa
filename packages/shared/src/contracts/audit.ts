import Type, { type Static } from 'typebox';

export const auditActions = [
  'user.registered',
  'user.logged-in',
  'user.login-failed',
  'user.password-changed',
  'user.updated',
  'application.created',
  'application.updated',
  'application.deleted',
  'key.created',
  'key.rotated',
  'key.revoked',
  'export.made',
  'export.downloaded',
  'export.retried',
  'export.removed',
  'import.made',
  'import.downloaded',
  'import.retried',
  'import.removed',
] as const;

const optional = Type.Optional(Type.String());

export const AuditEvent = Type.Object({
  id: Type.String(),
  action: Type.Enum([...auditActions]),
  at: Type.String({ format: 'date-time' }),
  username: Type.String(),
  address: Type.String({ description: 'Where the request came from.' }),
  requestId: Type.String(),
  application: Type.Optional(Type.String({ description: 'Its domain.' })),
  job: optional,
  key: optional,
  details: Type.Optional(
    Type.Unknown({
      description:
        'What else is to be known of it. Of `user.login-failed`, of which there is one a minute: `count` and `lastAt`.',
    }),
  ),
});

export const AuditQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
    after: Type.Optional(Type.String({ description: '`cursor` of the page before.' })),
  },
  { additionalProperties: false },
);

export const AuditPage = Type.Object({
  result: Type.Array(AuditEvent),
  cursor: Type.Optional(
    Type.String({ description: 'Hand it in as `after` for the next page; absent on the last.' }),
  ),
});

export type AuditAction = (typeof auditActions)[number];
export type AuditEvent = Static<typeof AuditEvent>;

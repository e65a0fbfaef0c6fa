import type { PersonalTokenRecord } from '@sluice/store/accounts/personal-tokens.ts';
import { roleOf } from '@sluice/store/applications/application-document.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { invalidAt, notFound } from '../http/refusals.ts';
import { bearerRoutes, loginOnly, operation, overLimit, takeSmallBodies } from '../http/route-parts.ts';
import { DateTime, Name, Named, Strict, Text, Timestamp } from '../http/schemas.ts';
import { makePersonalToken } from '../known/personal-tokens.ts';
import { quotaReached } from '../limits/quota.ts';
import { quotas } from '../limits/table.ts';

const Scopes = Type.Array(Type.Enum(['read', 'write', 'upload'], { title: 'Scope' }), {
  minItems: 1,
  uniqueItems: true,
  description: '`read`: what a reader may do; `write`: all else; `upload`: uploads where a key is required.',
  examples: [['read']],
});
const Domains = Type.Array(Text('Domain of an application.', 'weather-station-k3v9q2'), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description: 'Only these applications; absent: all that you have a role in.',
});

const NewPersonalToken = Strict(
  { title: 'NewPersonalToken', examples: [{ name: 'Nightly export', scopes: ['read'] }] },
  {
    name: Type.String({ ...Name, examples: ['Nightly export'] }),
    scopes: Scopes,
    expires_at: Type.Optional(Type.String({ ...Timestamp, description: 'Absent: it does not expire.' })),
    applications: Type.Optional(Domains),
  },
);

const fields = {
  id: Type.String({ examples: ['66f1c2a4e8b5d70912345678'] }),
  name: Type.String({ examples: ['Nightly export'] }),
  scopes: Scopes,
  applications: Type.Optional(Domains),
  expires_at: Type.Optional(DateTime()),
  createdAt: DateTime(),
  lastUsedAt: Type.Optional(DateTime('Exact to a minute; absent if it was never used.')),
};
const issued = {
  id: '66f1c2a4e8b5d70912345678',
  name: 'Nightly export',
  scopes: ['read'],
  createdAt: '2026-11-21T04:00:00.000Z',
  token: 'slp_8f14e45fceea167a5a36dedd4bea2543f1c2a4e8b5d70912',
};
const PersonalToken = Named('PersonalToken', fields);
const IssuedPersonalToken = Named(
  { title: 'IssuedPersonalToken', examples: [issued] },
  {
    ...fields,
    token: Text('The token itself, shown only once: Sluice stores its hash.', issued.token),
  },
);

type PersonalToken = Static<typeof PersonalToken>;

const toToken = ({ expiresAt, createdAt, lastUsedAt, ...rest }: PersonalTokenRecord): PersonalToken => ({
  ...rest,
  ...(expiresAt && { expires_at: expiresAt.toISOString() }),
  createdAt: createdAt.toISOString(),
  ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
});

/** What its user sets. */
const settingsOf = ({ name, scopes, applications, expiresAt }: PersonalTokenRecord) => ({
  name,
  scopes,
  applications,
  expires_at: expiresAt,
});

const ById = Type.Object({ id: Text('Id of the token.') });
const maxTokens = quotas.tokens.limit;

/** Tokens of a user for programs. None of them can make, list or revoke tokens. */
export const tokenRoutes: Routes = async (app, { store: { personalTokens, applications }, audit }) => {
  bearerRoutes(app, 'Accounts');
  takeSmallBodies(app);

  app.get(
    '/users/me/tokens',
    operation('listTokens', 'List your personal tokens', {
      description: 'Newest first.',
      response: { 200: Success(Type.Array(PersonalToken)) },
      config: loginOnly,
    }),
    async ({ owner }, reply) => success(reply, (await personalTokens.list(owner)).map(toToken)),
  );

  app.post(
    '/users/me/tokens',
    operation('createToken', 'Create a personal token', {
      description: `For a program, wherever a bearer token is taken. It is shown only in this answer, and ends with a new password. You can have ${maxTokens}.`,
      body: NewPersonalToken,
      response: { 200: Success(IssuedPersonalToken), ...overLimit },
      config: loginOnly,
    }),
    async (request, reply) => {
      const { owner, body } = request;
      const { name, scopes, expires_at, applications: domains } = body;
      const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
      if (expiresAt && expiresAt.getTime() <= Date.now())
        throw invalidAt('/expires_at', 'future', 'must be in the future');
      for (const [place, domain] of domains?.entries() ?? []) {
        const found = await applications.byDomain(domain);
        if (!found || !roleOf(found, owner.id))
          throw invalidAt(`/applications/${place}`, 'domain', `application ${domain} was not found`);
      }
      const { token, hash } = makePersonalToken();
      const bounds = { ...(domains && { applications: domains }), ...(expiresAt && { expiresAt }) };
      const created = await personalTokens.create(owner, { name, scopes, ...bounds }, hash, maxTokens);
      if (!created) throw quotaReached('tokens', maxTokens);
      const details = { token: created.id, scopes };
      await audit.note(request, { action: 'token.created', details, after: settingsOf(created) });
      return success(reply, { ...toToken(created), token });
    },
  );

  app.delete(
    '/users/me/tokens/:id',
    operation('revokeToken', 'Revoke a personal token', {
      description: 'It stops working at once; for uploads within a second.',
      params: ById,
      response: { 200: SuccessMessage('Revoked.', 'token 66f1c2a4e8b5d70912345678 was revoked') },
      config: loginOnly,
    }),
    async (request, reply) => {
      const { id } = request.params;
      const token = (await personalTokens.list(request.owner)).find((one) => one.id === id);
      if (!token || !(await personalTokens.revoke(request.owner.id, id))) throw notFound('token', id);
      const before = settingsOf(token);
      await audit.note(request, { action: 'token.revoked', details: { token: id }, before });
      return success(reply, { message: `token ${id} was revoked` });
    },
  );
};

import { ApiError } from '@sluice/shared/errors.ts';
import type { Member } from '@sluice/store/applications/application-document.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { findApplication, requireRole } from '../http/find-application.ts';
import { notFound } from '../http/refusals.ts';
import {
  ByDomain,
  bearerRoutes,
  operation,
  overLimit,
  ownFailures,
  takeSmallBodies,
} from '../http/route-parts.ts';
import { DateTime, Named, Strict, Text } from '../http/schemas.ts';
import { quotaReached } from '../limits/quota.ts';
import { quotas } from '../limits/table.ts';

const MemberUpdate = Strict('MemberUpdate', {
  role: Type.Enum(['reader', 'editor'], { title: 'MemberRole', examples: ['reader'] }),
});

const ApplicationMember = Named('Member', {
  username: Type.String({ examples: ['ada'] }),
  role: Type.Enum(['owner', 'reader', 'editor'], { title: 'RoleOfMember', examples: ['reader'] }),
  since: DateTime('When the user became a member.'),
});
type ApplicationMember = Static<typeof ApplicationMember>;

const ByMember = Type.Object({ ...ByDomain.properties, username: Text('Name of the member.', 'ada') });

const toMember = ({ username, role, since }: Omit<Member, 'id'>): ApplicationMember => ({
  username,
  role,
  since: since.toISOString(),
});

/** The role of a member; undefined for others. */
function memberIn({ members }: ApplicationRecord, id: string) {
  const member = members.find((one) => one.id === id);
  return member && { role: member.role };
}

const maxMembers = quotas.members.limit;

/** The users with whom the owner shares an application. */
export const memberRoutes: Routes = async (
  app,
  { store: { applications, users, savedViews }, cache, audit },
) => {
  bearerRoutes(app, 'Members');
  takeSmallBodies(app);

  async function find(username: string) {
    const found = await users.byName(username);
    if (!found) throw notFound('user', username);
    return found;
  }

  const notMember = ({ domain }: ApplicationRecord, username: string) =>
    new ApiError('ResourceNotFoundError', `user ${username.slice(0, 40)} is no member of ${domain}`);

  app.get(
    '/applications/:domain/members',
    operation('listMembers', 'List members', {
      description: 'The owner first.',
      params: ByDomain,
      response: { 200: Success(Type.Array(ApplicationMember)) },
    }),
    async (request, reply) => {
      const { owner, members, createdAt } = await findApplication(applications, request);
      const first: ApplicationMember = {
        username: owner.username,
        role: 'owner',
        since: createdAt.toISOString(),
      };
      return success(reply, [first, ...members.map(toMember)]);
    },
  );

  app.put(
    '/applications/:domain/members/:username',
    operation('setMember', 'Share an application, or change a role', {
      description:
        'A reader lists, exports and follows. An editor also handles schemas, imports, keys, refused uploads and entries.',
      params: ByMember,
      body: MemberUpdate,
      response: { 200: Success(ApplicationMember), ...ownFailures('ResourceConflictError'), ...overLimit },
      config: { role: 'owner' },
    }),
    async (request, reply) => {
      const application = await findApplication(applications, request);
      const { role } = request.body;
      const user = await find(request.params.username);
      if (user.id === application.owner.id)
        throw new ApiError('ResourceConflictError', `user ${user.username} is the owner`);
      const result = await applications.setMember(application.id, user, role, maxMembers);
      if (result === 'full') throw quotaReached('members', maxMembers);
      cache.forget(application.id);
      const details = { username: user.username, role };
      const what = {
        application: application.domain,
        details,
        before: memberIn(application, user.id),
        after: { role },
      };
      await audit.note(request, { action: 'member.set', ...what });
      const changed = await findApplication(applications, request);
      const member = changed.members.find(({ id }) => id === user.id);
      if (!member) throw notMember(application, user.username);
      return success(reply, toMember(member));
    },
  );

  app.delete(
    '/applications/:domain/members/:username',
    operation('removeMember', 'Remove a member', {
      description: 'The owner removes members; members remove themselves. It is in force at once.',
      params: ByMember,
      response: { 200: SuccessMessage('Removed.', 'user ada is no longer a member') },
      config: { role: 'reader', scope: 'write' },
    }),
    async (request, reply) => {
      const application = await findApplication(applications, request);
      const user = await find(request.params.username);
      if (user.id !== request.owner.id) requireRole(application, request.owner, 'owner');
      if (!(await applications.removeMember(application.id, user.id)))
        throw notMember(application, user.username);
      cache.forget(application.id);
      await savedViews.removeOf(user.id, application.id);
      const details = { username: user.username };
      const what = { application: application.domain, details, before: memberIn(application, user.id) };
      await audit.note(request, { action: 'member.removed', ...what });
      return success(reply, { message: `user ${user.username} is no longer a member` });
    },
  );
};

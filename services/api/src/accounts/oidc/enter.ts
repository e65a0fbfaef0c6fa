import type { UserRecord } from '@sluice/store/accounts/users.ts';
import type { FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import type { FormerSession } from './flow-cookie.ts';
import { namesLike } from './free-names.ts';
import type { Person } from './provider.ts';
import { SignInFailure } from './sign-in-failure.ts';

/** Finds or makes the user of a person whom the provider knows. Its functions throw SignInFailure. */
export function createEntrance({ store, config, audit }: Pick<Dependencies, 'store' | 'config' | 'audit'>) {
  const { users } = store;

  function checkGroups({ groups }: Person): void {
    const allowed = config.oidc?.groups;
    if (allowed && !groups.some((group) => allowed.includes(group))) throw new SignInFailure('group');
  }

  async function register(request: FastifyRequest, { identity, name }: Person): Promise<UserRecord> {
    if (!config.registrationOpen) throw new SignInFailure('closed');
    for (const username of namesLike(name)) {
      const user = await users.create({ username, locale: 'en', identity });
      if (user) {
        await audit.note(request, { action: 'user.registered', via: 'oidc', user });
        return user;
      }
      // Another tab may have been faster.
      const existing = await users.byIdentity(identity);
      if (existing) return existing;
    }
    throw new Error('the names ended');
  }

  return {
    /** The user who signs in; a new one the first time. */
    async enter(request: FastifyRequest, person: Person): Promise<UserRecord> {
      checkGroups(person);
      const user = (await users.byIdentity(person.identity)) ?? (await register(request, person));
      if (user.disabledAt) throw new SignInFailure('disabled');
      await audit.note(request, { action: 'user.logged-in', via: 'oidc', user });
      return user;
    },

    /** From now on the user of the session also signs in as this person. */
    async link(request: FastifyRequest, person: Person, session: FormerSession): Promise<void> {
      checkGroups(person);
      const linked = await users.link(session, person.identity);
      if (typeof linked === 'string') throw new SignInFailure(linked);
      await audit.note(request, { action: 'user.linked', via: 'oidc', user: linked });
    },
  };
}

import type { Logger } from '@sluice/shared/logger.ts';
import type { UserRecord, UserStore } from '@sluice/store/accounts/users.ts';
import type { Passwords } from './passwords.ts';

interface Dependencies {
  users: UserStore;
  passwords: Passwords;
  log: Logger;
}

/** Makes a hash anew whose cost is not the one that is set. Needs the right password. Never rejects: the next login tries again. */
export function createRenewHash({ users, passwords, log }: Dependencies) {
  const underWay = new Set<string>();

  return async ({ id, passwordHash }: UserRecord, password: string, address: string): Promise<void> => {
    if (passwords.hasCost(passwordHash) || underWay.has(id)) return;
    underWay.add(id);
    try {
      await users.renewHash(id, passwordHash, await passwords.hash(password, address));
    } catch (error) {
      log.warn({ event: 'password.unrenewed', user: id, reason: (error as Error).message });
    } finally {
      underWay.delete(id);
    }
  };
}

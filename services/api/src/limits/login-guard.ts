import { createHash } from 'node:crypto';
import type { SharedCounters } from '@sluice/shared/queues/shared-counters.ts';
import { addressKey } from './address-key.ts';
import { tooMany, toSeconds } from './answers.ts';
import { createTurns, TooManyTurns } from './turns.ts';

const hour = 3_600;
/** Wrong passwords from one address before it has to wait. */
const free = 5;
const longestWait = 900;
/** Wrong passwords an hour from all addresses together that the user has not logged in from. */
const mostOfAccount = 100;
/** Attempts for one user from one address that wait for those before. */
const mostWaiting = 32;

export type LoginGuard = ReturnType<typeof createLoginGuard>;

/**
 * Slows down who tries passwords. From one address: after five wrong ones a second, then twice as long each time. From all
 * addresses together: so many an hour, which does not concern an address from which the user logged in during the
 * last three weeks. Names count whether there is such a user or not.
 */
export function createLoginGuard(counters: SharedCounters) {
  const wrong = counters('login-wrong', hour);
  const waits = counters('login-waits', longestWait);
  const ofAccount = counters('login-account', hour);
  const known = counters('login-known', 21 * 24 * hour);
  const turns = createTurns(mostWaiting);

  async function countWrong(name: string, pair: string, isKnown: boolean): Promise<void> {
    const [{ count }] = await Promise.all([wrong.add(pair), isKnown || ofAccount.add(name)]);
    if (count >= free) await waits.set(pair, Math.min(2 ** (count - free), longestWait));
  }

  /** Whether `isRight` says so. Throws ApiError, without asking it, when there is to be a wait. */
  return function guard(
    username: string,
    address: string,
    isRight: () => Promise<boolean>,
  ): Promise<boolean> {
    const name = createHash('sha256').update(username.toLowerCase()).digest('base64url').slice(0, 22);
    const pair = `${name}:${addressKey(address)}`;
    // One after another: of many at once each knows what became of those before.
    return turns(pair, async () => {
      const [wait, tries, seen] = await Promise.all([waits.get(pair), ofAccount.get(name), known.get(pair)]);
      if (wait) throw refuse('too many wrong passwords for this user from this address', wait.resetMs);
      if (!seen && tries && tries.count >= mostOfAccount)
        throw refuse('too many wrong passwords for this user from many addresses', tries.resetMs);
      const right = await isRight();
      if (right) await Promise.all([wrong.forget(pair), known.set(pair)]);
      else await countWrong(name, pair, seen !== undefined);
      return right;
    }).catch((error) => {
      throw error instanceof TooManyTurns ? refuse('too many logins of this user at once', 1_000) : error;
    });
  };
}

function refuse(reason: string, waitMs: number) {
  return tooMany(`${reason}; wait ${toSeconds(waitMs)} s`, waitMs);
}

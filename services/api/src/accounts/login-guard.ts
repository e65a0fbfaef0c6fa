import { createHash } from 'node:crypto';
import { byLimit, tooMany } from '@sluice/shared/errors.ts';
import { type Counters, toSeconds } from '../limits/rate.ts';
import { rates } from '../limits/table.ts';

const { wrongPasswords: ofAddress, wrongPasswordsOfUser: ofUser } = rates;

export type LoginGuard = ReturnType<typeof createLoginGuard>;

/**
 * Slows down guesses of passwords and codes. After five wrong passwords an address waits 1 s, then twice as long each time.
 *
 * All addresses together have an hourly limit. It ignores addresses from which the user logged in within three weeks.
 *
 * Unknown users have the same limits.
 */
export function createLoginGuard(counters: Counters) {
  const wrong = counters('login-wrong', ofAddress.seconds);
  const waits = counters('login-waits', ofAddress.longestWaitSeconds);
  const wrongOfUser = counters('login-account', ofUser.seconds);
  const known = counters('login-known', ofUser.knownSeconds);
  const latest = new Map<string, Promise<unknown>>();

  /** Runs attempts one after another, so that each sees the results of those before. */
  function inOrder<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (latest.get(key) ?? Promise.resolve()).then(work);
    const done = result
      .catch(() => {})
      .then(() => {
        if (latest.get(key) === done) latest.delete(key);
      });
    latest.set(key, done);
    return result;
  }

  async function countWrong(name: string, pair: string, isKnown: boolean): Promise<void> {
    const [{ consumedPoints: count }] = await Promise.all([
      wrong.penalty(pair),
      isKnown || wrongOfUser.penalty(name),
    ]);
    if (count < ofAddress.limit) return;
    const seconds = Math.min(2 ** (count - ofAddress.limit), ofAddress.longestWaitSeconds);
    await waits.set(pair, 1, seconds);
  }

  /** Returns the result of `isRight`. If it throws, the attempt counts neither as right nor as wrong. During a wait, throws ApiError instead of calling it. `client` is an `addressKey`. */
  return (username: string, client: string, isRight: () => Promise<boolean>): Promise<boolean> => {
    const name = createHash('sha256').update(username.toLowerCase()).digest('base64url').slice(0, 22);
    const pair = `${name}:${client}`;
    return inOrder(pair, async () => {
      const [wait, tries, seen] = await Promise.all([
        waits.get(pair),
        wrongOfUser.get(name),
        known.get(pair),
      ]);
      if (wait) throw byLimit('rate_wrongPasswords', refuse('this address', wait.msBeforeNext));
      if (!seen && tries && tries.consumedPoints >= ofUser.limit)
        throw byLimit('rate_wrongPasswordsOfUser', refuse('many addresses', tries.msBeforeNext));
      const right = await isRight();
      if (right) await Promise.all([wrong.delete(pair), known.set(pair, 1, ofUser.knownSeconds)]);
      else await countWrong(name, pair, seen !== null);
      return right;
    });
  };
}

function refuse(from: string, waitMs: number) {
  const seconds = toSeconds(waitMs);
  return tooMany(`too many wrong passwords or codes for this user from ${from}; wait ${seconds} s`, seconds);
}

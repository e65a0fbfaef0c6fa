import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type Admission, unlimited } from '@sluice/shared/admission.ts';
import { createThread } from '@sluice/shared/threads/thread.ts';
import bcrypt from 'bcrypt';
import { suitsBcrypt } from '../http/formats.ts';
import type { HashAnswer, HashRequest } from './hash-thread.ts';

/** Each takes a core for a quarter of a second; one stays free. */
const threadCount = Math.max(1, Math.min(2, availableParallelism() - 1));
const deadlineMs = 60_000;

export interface Passwords {
  /** `address` is whose turn it takes. */
  hash(password: string, address: string): Promise<string>;
  /** Takes as long without a hash (an unknown user) as with one. */
  verify(password: string, hash: string | undefined, address: string): Promise<boolean>;
  /** False for a hash that was made with another cost. */
  hasCost(hash: string): boolean;
  close(): Promise<void>;
}

/** bcrypt in threads of its own, away from those of the file system and DNS. Rejects with ApiError when too many wait. */
export function createPasswords(cost: number, capacity: Admission = unlimited): Passwords {
  const threads = createThread<HashRequest, HashAnswer>({
    ...{ name: 'password hashing', file: new URL('./hash-thread.ts', import.meta.url), count: threadCount },
    ...{ heapMb: 64, deadlineMs, tooLong: 'failed', tooLarge: 'failed' },
  });
  let decoy: string | undefined;

  async function ask(request: HashRequest, address: string): Promise<Exclude<HashAnswer, 'failed'>> {
    const answer = await capacity.run(address, () => threads.ask(address, request));
    if (answer === 'failed') throw new Error('a password could not be hashed');
    return answer;
  }

  async function hash(password: string, address: string): Promise<string> {
    return ((await ask({ password, cost }, address)) as { hash: string }).hash;
  }

  return {
    hash,
    async verify(password, known, address) {
      decoy ??= await hash(randomBytes(16).toString('hex'), address);
      // No account may have any other password, but hashes from before this rule match some.
      const fits = [...password].length >= 8 && suitsBcrypt(password);
      const compared = await ask({ password, hash: known && fits ? known : decoy }, address);
      return (compared as { matches: boolean }).matches && fits && known !== undefined;
    },
    hasCost: (hash) => bcrypt.getRounds(hash) === cost,
    close: threads.close,
  };
}

import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { isPassword } from '@sluice/store/accounts/credentials.ts';
import { type Admission, createThread, unlimited } from '@sluice/threads/thread.ts';
import bcrypt from 'bcrypt';
import type { HashAnswer, HashRequest } from './hash-thread.ts';

/** A hash occupies a core for a quarter of a second; one core stays free. */
const threadCount = Math.max(1, Math.min(2, availableParallelism() - 1));
const deadlineMs = 60_000;

/** Runs bcrypt in its own threads: the pool of Node.js serves files and DNS. Throws ApiError if too many wait. */
export function createPasswords(cost: number, capacity: Admission = unlimited) {
  const threads = createThread<HashRequest, HashAnswer>({
    name: 'password hashing',
    file: new URL('./hash-thread.ts', import.meta.url),
    count: threadCount,
    heapMb: 64,
    deadlineMs,
    tooLong: 'failed',
    tooLarge: 'failed',
  });
  let decoy: string | undefined;

  async function ask(request: HashRequest, client: string): Promise<Exclude<HashAnswer, 'failed'>> {
    const answer = await capacity.run(client, () => threads.ask(client, request));
    if (answer === 'failed') throw new Error('a password could not be hashed');
    return answer;
  }

  /** `client` has a share of the capacity. */
  async function hash(password: string, client: string): Promise<string> {
    return ((await ask({ password, cost }, client)) as { hash: string }).hash;
  }

  return {
    hash,

    /** Takes equally long for an unknown user, who has no hash. */
    async verify(password: string, known: string | undefined, client: string): Promise<boolean> {
      decoy ??= await hash(randomBytes(16).toString('hex'), client);
      // Older accounts may have hashes of passwords that today's rules forbid.
      const fits = isPassword(password);
      const compared = await ask({ password, hash: known && fits ? known : decoy }, client);
      return (compared as { matches: boolean }).matches && fits && known !== undefined;
    },

    /** False for a hash that was made with another cost. */
    hasCost: (hash: string) => bcrypt.getRounds(hash) === cost,
    close: threads.close,
  };
}

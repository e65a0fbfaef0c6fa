import { randomBytes } from 'node:crypto';
import { unavailable } from '@sluice/shared/errors.ts';
import { Sema } from 'async-sema';
import bcrypt from 'bcrypt';

/** Hashing shares libuv's threads with the file system and DNS: leave some of its four free. */
const atOnce = 2;
const maxWaiting = 64;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes as long without a hash (an unknown user) as with one. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
  /** False for a hash that was made with another cost. */
  hasCost(hash: string): boolean;
}

/** bcrypt behind a semaphore. Rejects with 503 when too many wait. */
export function createPasswords(cost: number): Passwords {
  const sema = new Sema(atOnce);
  let decoy: Promise<string> | undefined;

  async function queued<T>(work: () => Promise<T>): Promise<T> {
    if (sema.nrWaiting() >= maxWaiting) throw unavailable('too many logins at once');
    await sema.acquire();
    try {
      return await work();
    } finally {
      sema.release();
    }
  }

  return {
    hash: (password) => queued(() => bcrypt.hash(password, cost)),
    verify: (password, hash) =>
      queued(async () => {
        decoy ??= bcrypt.hash(randomBytes(16).toString('hex'), cost);
        // bcrypt looks at 72 bytes only: a longer password must not match by its beginning.
        const fits = Buffer.byteLength(password) <= 72;
        const matches = await bcrypt.compare(password, hash && fits ? hash : await decoy);
        return matches && fits && hash !== undefined;
      }),
    hasCost: (hash) => bcrypt.getRounds(hash) === cost,
  };
}

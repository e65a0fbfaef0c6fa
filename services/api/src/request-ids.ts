import { randomBytes } from 'node:crypto';

/** Unique ids of requests: a random part for the process, and a counter. */
export function createRequestIds(): () => string {
  const ofProcess = randomBytes(8).toString('base64url');
  let count = 0;
  return () => `${ofProcess}-${(count++).toString(36)}`;
}

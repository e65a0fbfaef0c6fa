import { createHmac, timingSafeEqual } from 'node:crypto';

/** Lets the first user of an installation register, also while registration is closed. Who has the secret can make it. */
export const firstCode = (jwtSecret: string): string =>
  createHmac('sha256', jwtSecret).update('first user').digest('base64url');

/** Whether it was made with one of the secrets. */
export function isFirstCode(code: string, jwtSecrets: string[]): boolean {
  const given = Buffer.from(code);
  const rights = jwtSecrets.map((secret) => Buffer.from(firstCode(secret)));
  return rights.some((right) => given.length === right.length && timingSafeEqual(given, right));
}

import { createHash, randomBytes } from 'node:crypto';
import type { MadeKey } from '@sluice/store/applications/keys.ts';

/** Distinguishes keys from other bearer tokens, also for secret scanners. */
export const keyMark = 'sk_';
const shownLength = keyMark.length + 8;

/** A new ingest key. Its prefix and its hash may be stored. */
export function makeKey(): MadeKey & { key: string } {
  const key = keyMark + randomBytes(32).toString('base64url');
  return { key, prefix: key.slice(0, shownLength), hash: hashOf(key) };
}

export const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

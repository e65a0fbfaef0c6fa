import { createHash, randomBytes } from 'node:crypto';
import type { MadeKey } from '@sluice/store/applications/keys.ts';

/** Tells a key from other bearer tokens, and secret scanners what it is. */
export const keyMark = 'sk_';
const shownLength = keyMark.length + 8;

/** A new ingest key, and what may be stored of it. */
export function makeKey(): MadeKey & { key: string } {
  const key = keyMark + randomBytes(32).toString('base64url');
  return { key, prefix: key.slice(0, shownLength), hash: hashOf(key) };
}

export const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

import { createHmac, type KeyObject, sign } from 'node:crypto';

type Part = Record<string, unknown>;

const encode = (part: Part) => Buffer.from(JSON.stringify(part)).toString('base64url');
const decode = (part = ''): Part => JSON.parse(Buffer.from(part, 'base64url').toString());

/** The header and the claims of a token. */
export function readToken(token: string): { header: Part; claims: Part } {
  const [header, claims] = token.split('.');
  return { header: decode(header), claims: decode(claims) };
}

/** A token with the signature of a key, of a secret (HS256), or without one. */
export function writeToken(header: Part, claims: Part, key?: KeyObject | string): string {
  const text = `${encode(header)}.${encode(claims)}`;
  if (key === undefined) return `${text}.`;
  const signature =
    typeof key === 'string'
      ? createHmac('sha256', key).update(text).digest()
      : sign('sha256', Buffer.from(text), key);
  return `${text}.${signature.toString('base64url')}`;
}

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

const keyOf = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'sluice secrets', 32));
/** A short name of a key, from which nobody can find the key. */
const nameOf = (key: Buffer) => createHash('sha256').update(key).digest('base64url').slice(0, 8);

/** Encrypts a text with the first of SECRETS_KEY. */
export function seal([secret]: string[], text: string): string {
  if (secret === undefined) throw new Error('SECRETS_KEY is not set');
  const key = keyOf(secret);
  const iv = randomBytes(ivBytes);
  const encrypt = createCipheriv(cipher, key, iv);
  const sealed = Buffer.concat([iv, encrypt.update(text, 'utf8'), encrypt.final(), encrypt.getAuthTag()]);
  return `${nameOf(key)}.${sealed.toString('base64url')}`;
}

/** Whether `seal` would take the same secret today. */
export const isSealedByFirst = ([secret = '']: string[], sealed: string): boolean =>
  sealed.startsWith(`${nameOf(keyOf(secret))}.`);

/** Throws an Error when none of the secrets encrypted the text. */
export function unseal(secrets: string[], sealed: string): string {
  const [name, content = ''] = sealed.split('.');
  const key = secrets.map(keyOf).find((each) => nameOf(each) === name);
  if (!key) throw new Error('no secret of SECRETS_KEY encrypted this text');
  const bytes = Buffer.from(content, 'base64url');
  const decrypt = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decrypt.setAuthTag(bytes.subarray(-tagBytes));
  return Buffer.concat([decrypt.update(bytes.subarray(ivBytes, -tagBytes)), decrypt.final()]).toString(
    'utf8',
  );
}

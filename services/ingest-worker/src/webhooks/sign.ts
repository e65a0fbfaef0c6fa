import { createHmac } from 'node:crypto';

export const secretMark = 'whsec_';

/** The header `webhook-signature` by the rules of Standard Webhooks: a signature for each secret. */
export const signatures = (secrets: string[], id: string, seconds: number, body: string): string =>
  secrets
    .map((secret) => Buffer.from(secret.slice(secretMark.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`)
    .join(' ');

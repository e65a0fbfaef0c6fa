import { createHmac } from 'node:crypto';

/** What an API shows a query worker. `secret`: one of JWT_SECRET. */
export const queryToken = (secret: string): string =>
  createHmac('sha256', secret).update('sluice query worker').digest('hex');

import { read } from './client.ts';

/** Where people sign in without a password. */
export const providersQuery = read('/api/session/providers', {});

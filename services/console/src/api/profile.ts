import { read } from './client.ts';

export const profileQuery = read('/api/users/me', {});

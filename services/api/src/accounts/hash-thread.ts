import { serve } from '@sluice/threads/serve.ts';
import bcrypt from 'bcrypt';

/** Runs in the threads of passwords.ts. */
export type HashRequest = { password: string; cost: number } | { password: string; hash: string };
export type HashAnswer = { hash: string } | { matches: boolean } | 'failed';

serve<HashRequest, HashAnswer>((request) =>
  'hash' in request
    ? { matches: bcrypt.compareSync(request.password, request.hash) }
    : { hash: bcrypt.hashSync(request.password, request.cost) },
);

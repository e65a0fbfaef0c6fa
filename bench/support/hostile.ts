import { join } from 'node:path';
import { inherited } from '../../local/env.ts';
import type { Bench, Server } from './bench.ts';
import { startServer } from './server.ts';

/** A client that means harm, as a process of its own. */
export const startHostile = (bench: Bench, url: string): Promise<Server> =>
  startServer(bench, {
    name: 'hostile',
    entry: join(import.meta.dirname, '..', 'hostile', 'main.ts'),
    args: () => [url],
    env: inherited,
    ready: async () => undefined,
  });

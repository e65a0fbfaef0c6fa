import { join } from 'node:path';
import { inherited } from '../../local/env.ts';
import type { Bench, Server } from './bench.ts';
import { startServer } from './server.ts';

/** A hostile client in its own process. */
export const startHostile = (bench: Bench, url: string): Promise<Server> =>
  startServer(bench, {
    name: 'hostile',
    entry: join(import.meta.dirname, '..', 'hostile', 'main.ts'),
    args: () => [url],
    env: inherited,
    ready: async () => undefined,
  });

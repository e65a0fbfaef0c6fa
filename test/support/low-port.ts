import { freePort } from '../../local/ports.ts';

/** Each worker of Vitest has its own, as a port is free until its process has started. */
const perWorker = 1_000;
const first = 20_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 10) * perWorker;
let next = first + Math.floor((Math.random() * perWorker) / 2);

/** A free port below those that systems give to outgoing connections: one of these could take it until it is used. */
export function lowPort(): Promise<number> {
  next += 1;
  return freePort(next);
}

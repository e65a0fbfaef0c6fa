import { freePort } from '../../local/ports.ts';

/** A free port below those that systems give to outgoing connections: one of these could take it until it is used. */
export const lowPort = () => freePort(20_000 + Math.floor(Math.random() * 10_000));

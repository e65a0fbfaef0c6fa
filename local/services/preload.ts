import { once } from 'node:events';

/**
 * Loads a service while its stores start, and runs it when its variables arrive over the channel.
 * Use: `node preload.ts <main.ts of the service>`.
 */
const [entry = ''] = process.argv.slice(2);
const variables = once(process, 'message');
const service: { run?(): Promise<void> } = await import(entry);
Object.assign(process.env, (await variables)[0]);
await service.run?.();

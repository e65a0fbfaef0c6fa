import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, loadLocalConfig } from '@sluice/shared/config/load.ts';
import { banner, storesOnly } from './banner.ts';
import { createChildren, stopLeftovers } from './children.ts';
import { openDataDir } from './data-dir.ts';
import { localEnv } from './env.ts';
import { StartError } from './start-error.ts';
import { stopRequest } from './stop-request.ts';
import { up } from './up.ts';

const usage = `Usage: npm start             runs Sluice on this machine, with MongoDB and Redis
       npm run dev           the same, with readable logs here, restarting when sources change
       npm start -- --stores MongoDB and Redis alone, as for a restore
       npm start -- --help   this text

Settings are environment variables or lines of .env; all of them are in docs/reference.md. The most used:
  PORT=4001              port of the API (4000)
  HOST=0.0.0.0           address it listens on (127.0.0.1)
  DATA_DIR=…             folder for data, logs and secret (.sluice)
  MONGODB_URL, REDIS_URL servers to use instead of starting them`;

/** Runs until a signal or a fatal error. Leaves no process behind. */
export async function main(argv: string[], services: Record<string, string>, root: string): Promise<void> {
  const began = performance.now();
  const log = (line: string) => console.log(line);
  const { help, watch, stores } = options(argv);
  if (help) return log(usage);

  const config = orExit(() => loadLocalConfig());
  const children = createChildren(join(resolve(config.dataDir), 'run'));
  process.on('exit', children.killAll);
  const stop = stopRequest(log);
  let code = 0;
  let wasReady = false;
  try {
    const start = async () => {
      const dataDir = openDataDir(config.dataDir);
      process.on('exit', dataDir.close);
      await stopLeftovers(dataDir.run, log);
      const shared = { config, local: localEnv(), dataDir, children, log };
      const wanted = { services: stores ? {} : services, watchRoot: watch ? root : undefined };
      const sluice = await up({ ...shared, ...wanted });
      const seconds = (performance.now() - began) / 1_000;
      log(stores ? storesOnly(sluice) : banner({ ...sluice, ...dataDir, watch, seconds }));
      wasReady = true;
      return sluice.broken;
    };
    await Promise.race([stop, start()]);
  } catch (error) {
    code = 1;
    console.error(oneLine(error));
  }
  await children.stopAll();
  // Not before the folder is free.
  if (code !== 0 && wasReady) console.error('What was acknowledged is kept: start it again.');
  process.exit(code);
}

function options(argv: string[]) {
  const flag = { type: 'boolean' } as const;
  return orExit(() => parseArgs({ args: argv, options: { help: flag, watch: flag, stores: flag } }).values);
}

function orExit<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    console.error(oneLine(error));
    process.exit(1);
  }
}

function oneLine(error: unknown): string {
  const known = error instanceof StartError || error instanceof ConfigError;
  const { message, stack = message } = error as Error;
  // Only unexpected errors need a stack.
  return `error: ${known || 'code' in (error as Error) ? message.replaceAll('\n', '; ') : stack}`;
}

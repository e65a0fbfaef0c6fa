import closeWithGrace from 'close-with-grace';
import { ConfigError } from './config/load.ts';
import { createLogger, type Logger } from './logger.ts';
import { version } from './version.ts';

interface Config {
  log: { level: string; pretty: boolean };
  shutdownTimeoutMs: number;
}

/**
 * Runs a service as this process until SIGTERM, SIGINT or the end of the supervisor that started it.
 * The process ends by the shutdown timeout in any case.
 */
export async function runProcess<C extends Config>(
  name: string,
  load: () => C,
  start: (config: C, log: Logger) => Promise<{ stop(): Promise<void> }>,
): Promise<void> {
  const config = readConfig(name, load);
  const log = createLogger(name, config.log);
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  try {
    const running = await start(config, log);
    closeWithGrace({ delay: config.shutdownTimeoutMs, logger: false }, async ({ signal, err }) => {
      if (err) log.fatal({ event: 'process.crashed', err });
      log.info({ event: 'process.stopping', signal });
      await running.stop();
      log.info({ event: 'process.stopped' });
    });
    log.info({ event: 'process.started', version: version() });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    fail(name, code === 'EADDRINUSE' ? `the port is taken: ${message}` : message);
  }
}

function readConfig<C>(name: string, load: () => C): C {
  try {
    return load();
  } catch (error) {
    if (error instanceof ConfigError) fail(name, error.message);
    throw error;
  }
}

/** Ends the process with plain lines: a stack trace would hide the message. */
function fail(name: string, message: string): never {
  for (const line of message.split('\n')) process.stderr.write(`sluice ${name}: ${line}\n`);
  process.exit(1);
}

import { type Logger, pino } from 'pino';

export type { Logger };

/** Logs JSON, or readable lines, to stdout. Fields with names of secrets are hidden. */
export function createLogger(name: string, { level, pretty }: { level: string; pretty: boolean }): Logger {
  return pino({
    name,
    level,
    redact: ['*.authorization', '*.password', '*.token', 'authorization', 'password', 'token'],
    ...(pretty ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } } : {}),
  });
}

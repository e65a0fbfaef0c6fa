import { type Logger, pino } from 'pino';

export type { Logger };

/** JSON lines on stdout, or readable ones. Values under names of secrets never show. */
export function createLogger(name: string, { level, pretty }: { level: string; pretty: boolean }): Logger {
  return pino({
    name,
    level,
    redact: ['*.authorization', '*.password', '*.token', 'authorization', 'password', 'token'],
    ...(pretty ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } } : {}),
  });
}

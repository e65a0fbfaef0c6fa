import { createLogger } from '@sluice/shared/logger.ts';

/** What a command has to say it prints itself. */
export const log = createLogger('sluice-admin', { level: 'silent', pretty: false });

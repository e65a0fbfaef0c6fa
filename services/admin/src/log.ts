import { createLogger } from '@sluice/shared/logger.ts';

/** Silent, as commands print their own messages. */
export const log = createLogger('sluice-admin', { level: 'silent', pretty: false });

import { type SharedSluice, sharedSluice } from '../../support/sluice.ts';

/** The Sluice of most files, whose owners have names of their own. */
export const consoleSluice = (): Promise<SharedSluice> =>
  sharedSluice({ env: { DELETION_GRACE: '7d', OUTBOUND_ALLOW: '127.0.0.1' } });

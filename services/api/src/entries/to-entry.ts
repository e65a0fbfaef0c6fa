import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { StoredEntry } from '@sluice/store/entries/entry-document.ts';
import type { Entry } from './contract.ts';

/** An entry as its owner sees it. */
export const toEntry = (
  { id, payload, createdAt, version, receivedAt }: StoredEntry,
  application: Pick<ApplicationRecord, 'domain' | 'version'>,
): Entry => ({
  id,
  domain: application.domain,
  payload,
  createdAt: createdAt.toISOString(),
  ...(application.version > 1 && { schema_version: version }),
  ...(receivedAt && { received_at: receivedAt.toISOString() }),
});

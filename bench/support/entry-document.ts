import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { createKeysAt } from '@sluice/store/entries/entry-id.ts';

const newKey = createKeysAt();

/** An entry as the API stores it. */
export function entryDocument(application: Buffer, createdAt: number, payload: object): EntryDocument {
  return { _id: newKey(application, createdAt), payload: payload as Record<string, unknown> };
}

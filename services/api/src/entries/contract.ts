import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { type SenderTexts, sources } from '@sluice/store/applications/senders.ts';
import type { StoredEntry } from '@sluice/store/entries/entry-document.ts';
import Type, { type Static } from 'typebox';
import { ArchivedBefore } from '../http/archived-before.ts';
import { BodyFilter, QueryFilter } from '../http/filter.ts';
import { EntryMeta } from '../http/meta.ts';
import {
  DateTime,
  Domain,
  Flag,
  Int,
  KeyId,
  Named,
  Pagination,
  Payload,
  Query,
  Strict,
  Text,
  Timestamp,
} from '../http/schemas.ts';

export const EntryId = Type.String({
  pattern: '^[0-9a-f]{28}$',
  description: 'Id of the entry, unique in its application.',
  examples: ['0192f0c1a2b30a0b0c0d00000001'],
});

export const EntryAnswer = Named('Entry', {
  id: EntryId,
  domain: Domain,
  payload: Payload,
  createdAt: DateTime(),
  schema_version: Type.Optional(
    Int('Version of the schema with which it was validated; absent while there is only one.', 2),
  ),
  received_at: Type.Optional(DateTime('When it was refused first; only of entries from a replay.')),
  source: Type.Optional(
    Type.Enum([...sources], { title: 'EntrySource', description: 'How it came.', examples: ['upload'] }),
  ),
  key: Type.Optional(Text('Id of the ingest key with which it came.', '66f1c2a4e8b5d70912345678')),
  by: Type.Optional(
    Text('Id of the import or replay that stored it, else the username of the personal token.', 'ada'),
  ),
});

export const EntriesQuery = Query({
  start: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 0,
    description: 'Index of the first entry.',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Entries per page.' }),
  from: Timestamp,
  to: Timestamp,
  order: Type.Enum(['newest', 'oldest'], {
    title: 'EntriesOrder',
    default: 'newest',
    description: 'Which entries come first. `oldest` stops where later entries may still arrive.',
  }),
  sort: Text(
    'A field, as filters name it: least values first, or greatest with `-` before it. Numbers come before texts, and texts before booleans; entries without such a value come last, and of equal values the newest first. ' +
      'Pages are read by `start`, among the first 10,000.',
    '-celsius',
  ),
  after: Text('`pagination.cursor` of the previous page.'),
  filter: QueryFilter,
  key: KeyId,
  meta: EntryMeta,
});

export const EntryQuery = Query({ meta: EntryMeta });

/** At least one property is needed. */
export const DeletionRequest = Strict(
  { title: 'DeletionRequest', examples: [{ to: '2026-11-21', filter: { celsius: { gte: 60 } } }] },
  { from: Type.Optional(Timestamp), to: Type.Optional(Timestamp), filter: Type.Optional(BodyFilter) },
);

export const DeletionQuery = Query({
  dry_run: Flag('Count the entries that match; delete nothing.'),
});

export const DeletionCount = Named('DeletionCount', {
  count: Int('Number of entries that match.', 2),
});

export const EntryPage = Named('EntryPage', {
  result: Type.Array(EntryAnswer),
  pagination: Pagination,
  archived_before: ArchivedBefore,
});

export type DeletionRequest = Static<typeof DeletionRequest>;
export type EntriesQuery = Static<typeof EntriesQuery>;
export type EntryAnswer = Static<typeof EntryAnswer>;
export type EntryPage = Static<typeof EntryPage>;

/** An entry as its owner sees it. */
export const toEntry = (
  { id, payload, createdAt, version, receivedAt }: StoredEntry,
  application: Pick<ApplicationRecord, 'domain' | 'version'>,
  sender: SenderTexts,
): EntryAnswer => ({
  id,
  domain: application.domain,
  payload,
  createdAt: createdAt.toISOString(),
  ...(application.version > 1 && { schema_version: version }),
  ...(receivedAt && { received_at: receivedAt.toISOString() }),
  ...(sender as Pick<EntryAnswer, 'source' | 'key' | 'by'>),
});

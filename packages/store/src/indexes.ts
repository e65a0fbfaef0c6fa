import type { Db, Document, IndexDescription } from 'mongodb';
import { usedStatesName } from './accounts/used-states.ts';
import { addressesName } from './alerts/addresses.ts';
import { alertsName } from './alerts/alerts.ts';
import { mailsName } from './alerts/mails.ts';
import { sourcesName } from './alerts/sources.ts';
import { archivesName } from './archives/archive-records.ts';
import { removalsName } from './archives/removals.ts';
import { deletionsName } from './entries/deletion-guard.ts';
import { surveysName } from './entries/value-surveys.ts';
import { erasedName } from './erasures/erased.ts';
import { namespaceExists } from './faults.ts';
import { isCluster } from './is-cluster.ts';
import { questionsName } from './questions/saved-questions.ts';
import { viewsName } from './views/saved-views.ts';

const unfinishedJobs = { state: { $in: ['waiting', 'active'] } };

/** `once` is the hash of an Idempotency-Key. Partial: an upload without a key pays nothing for it. */
const byOnce = { key: { once: 1 }, partialFilterExpression: { once: { $exists: true } } };

/** Not on a cluster, where records hold the keys: see `keyRecords`. */
export const indexesOfEntries: IndexDescription[] = [{ ...byOnce, unique: true }];

/** Where owners take turns. */
export const webhooksByOwner = { isFailing: 1, owner: 1, dueAt: 1 } as const;
/** For the feed of changes. */
const byChange: IndexDescription = { key: { changedAt: 1 }, sparse: true };
/** What is revoked stays for a day, so that everybody hears of it. */
const revoked: IndexDescription = { key: { revokedAt: 1 }, expireAfterSeconds: 86_400 };

/** By collection; those of entries are made with the collection. */
const indexes: Record<string, IndexDescription[]> = {
  users: [
    { key: { usernameKey: 1 }, unique: true },
    { key: { first: 1 }, unique: true, partialFilterExpression: { first: true } },
    {
      key: { 'identity.issuer': 1, 'identity.subject': 1 },
      unique: true,
      partialFilterExpression: { identity: { $exists: true } },
    },
    byChange,
  ],
  applications: [
    { key: { domain: 1 }, unique: true },
    { key: { 'owner.id': 1, createdAt: -1, _id: -1 } },
    { key: { 'members.id': 1, createdAt: -1, _id: -1 } },
    { key: { retentionDays: 1 }, partialFilterExpression: { retentionDays: { $gt: 0 } } },
    { key: { deletedAt: 1 }, partialFilterExpression: { deletedAt: { $exists: true } } },
    byChange,
  ],
  [usedStatesName]: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
  schemas: [{ key: { application: 1, version: 1 }, unique: true }],
  tokens: [
    { key: { hash: 1 }, unique: true },
    { key: { user: 1, createdAt: -1, _id: -1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    byChange,
    revoked,
  ],
  keys: [{ key: { application: 1, createdAt: -1, _id: -1 } }, byChange, revoked],
  senders: [
    { key: { application: 1, number: 1 }, unique: true },
    { key: { application: 1, source: 1, key: 1, user: 1, job: 1 }, unique: true },
  ],
  webhooks: [
    { key: { application: 1, _id: -1 } },
    { key: { isFailing: 1, dueAt: 1 }, partialFilterExpression: { state: 'active' } },
    { key: webhooksByOwner, partialFilterExpression: { state: 'active' } },
  ],
  [alertsName]: [
    { key: { user: 1, application: 1 }, unique: true },
    { key: { application: 1 } },
    { key: { dueAt: 1 } },
    { key: { code: 1 } },
  ],
  [mailsName]: [
    { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
    { key: { owner: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
  [addressesName]: [{ key: { 'pending.hash': 1 }, sparse: true }],
  [sourcesName]: [{ key: { isSilent: 1 }, sparse: true }],
  deliveries: [
    { key: { webhook: 1, _id: -1 } },
    { key: { webhook: 1, state: 1, _id: 1 } },
    { key: { application: 1 } },
  ],
  batches: [{ key: { application: 1 } }],
  /** A job that is retried needs them. */
  [surveysName]: [{ key: { at: 1 }, expireAfterSeconds: 7 * 86_400 }],
  [archivesName]: [
    { key: { application: 1, _id: -1 } },
    { key: { dueAt: 1 } },
    // One for questions.
    { key: { application: 1 }, unique: true, partialFilterExpression: { asked: { $exists: true } } },
  ],
  [questionsName]: [{ key: { application: 1, name: 1 }, unique: true }],
  [viewsName]: [{ key: { application: 1, user: 1, name: 1 }, unique: true }, { key: { user: 1 } }],
  [removalsName]: [{ key: { application: 1, version: 1 } }, { key: { key: 1 } }],
  [erasedName]: [{ key: { application: 1, erasure: 1 } }],
  milestones: [
    { key: { application: 1, rank: 1 }, unique: true },
    // With all that a look at them needs.
    {
      key: { application: 1, rank: 1, removed: 1, removedBytes: 1 },
      partialFilterExpression: { removed: { $gt: 0 } },
    },
  ],
  jobs: [
    { key: { application: 1, createdAt: -1 } },
    { key: { owner: 1, kind: 1 } },
    { key: { kind: 1, queuedAt: 1 }, partialFilterExpression: unfinishedJobs },
    { key: { expiresAt: 1 }, partialFilterExpression: { expiresAt: { $exists: true } } },
    {
      key: { 'options.archive': 1, 'options.run': 1 },
      unique: true,
      partialFilterExpression: { kind: 'archive' },
    },
    { key: { 'source.isReady': 1, queuedAt: 1 }, partialFilterExpression: { 'source.isReady': true } },
  ],
  // With `_id`, so that the oldest part of each job is found in the index alone.
  parts: [{ key: { job: 1, _id: 1 } }],
  chunks: [
    { key: { job: 1, state: 1, seq: 1 } },
    { key: { application: 1, stamp: 1 }, partialFilterExpression: { state: 'open' } },
  ],
  // With `size`, so that the sum of an application is found in the index alone.
  refused: [{ key: { application: 1, _id: 1, size: 1 } }, { key: { stored: 1 } }, byOnce],
  audit: [
    { key: { user: 1, at: -1, _id: -1 } },
    { key: { application: 1, at: -1, _id: -1 }, partialFilterExpression: { application: { $exists: true } } },
    { key: { at: 1, _id: 1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

export async function createIndexes(db: Db): Promise<void> {
  await Promise.all(Object.entries(indexes).map(([name, own]) => db.collection(name).createIndexes(own)));
  // A transaction over several shards cannot make it.
  await db.createCollection(deletionsName).catch((error) => {
    if (error.code !== namespaceExists) throw error;
  });
}

/** Those that are not there, as `collection (fields)`. */
export async function missingIndexes(db: Db): Promise<string[]> {
  const missing: string[] = [];
  const ofEntries = (await isCluster(db)) ? [] : indexesOfEntries;
  for (const [name, own] of Object.entries({ ...indexes, entries: ofEntries })) {
    const found = await db.collection(name).listIndexes().toArray().catch(ignoreAbsence);
    const there = new Set(found.map(({ key }) => JSON.stringify(key)));
    for (const { key } of own)
      if (!there.has(JSON.stringify(key))) missing.push(`${name} (${Object.keys(key).join(', ')})`);
  }
  return missing;
}

const namespaceNotFound = 26;

export function ignoreAbsence(error: { code?: unknown }): Document[] {
  if (error.code !== namespaceNotFound) throw error;
  return [];
}

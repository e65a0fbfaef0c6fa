import { ConfigError } from '@sluice/shared/config/load.ts';
import { within } from '@sluice/shared/deadline.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import type { WebhookEvent } from '@sluice/shared/webhook-events.ts';
import { MongoClient, type MongoClientOptions, ObjectId } from 'mongodb';
import { auditStore } from './accounts/audit.ts';
import { personalTokenStore } from './accounts/personal-tokens.ts';
import { usedStates } from './accounts/used-states.ts';
import { userStore } from './accounts/users.ts';
import { addressStore } from './alerts/addresses.ts';
import { alertStore, alertsName } from './alerts/alerts.ts';
import { mailStore } from './alerts/mails.ts';
import { servingStore } from './alerts/serving.ts';
import { sourceStore, sourcesName } from './alerts/sources.ts';
import { applicationStore } from './applications/applications.ts';
import { fieldStore } from './applications/fields.ts';
import { keyStore } from './applications/keys.ts';
import { schemaStore } from './applications/schemas.ts';
import { senderStore } from './applications/senders.ts';
import { archivesName } from './archives/archive-records.ts';
import { archiveStore } from './archives/archives.ts';
import { askedArchives } from './archives/asked-archives.ts';
import { compactionStore } from './archives/compactions.ts';
import { removalStore, removalsName } from './archives/removals.ts';
import { backupStore } from './backup/backup.ts';
import { operationsName } from './backup/block.ts';
import { connectionName } from './backup/connected-services.ts';
import { refuseHalfRestored } from './backup/write-database.ts';
import { changeStore } from './changes.ts';
import { disagreementStore } from './disagreements.ts';
import { batchStore } from './entries/batches.ts';
import { deletionStore, type OnDeleted } from './entries/deletions.ts';
import { deliveredStore } from './entries/delivered.ts';
import { entryStore } from './entries/entries.ts';
import type { Condition } from './entries/entry-filter.ts';
import { foldedLetters } from './entries/folded-letters.ts';
import { horizonStore } from './entries/horizon.ts';
import { recordKeys, removeKeyRecords } from './entries/key-records.ts';
import { type JsonEntry, matchEntries } from './entries/match-entries.ts';
import { milestoneStore } from './entries/milestones.ts';
import { rawEntries } from './entries/raw-entries.ts';
import { valueSurveys } from './entries/value-surveys.ts';
import { createWriter } from './entries/writer.ts';
import { eraseAgain } from './erasures/erase-again.ts';
import { erasedName, erasedStore } from './erasures/erased.ts';
import { createIndexes } from './indexes.ts';
import { inspection } from './inspect.ts';
import { liveStore } from './live/live.ts';
import { migrate } from './migrations/migrate.ts';
import { monitorPool, monitorPrimary, timedConnections } from './monitor.ts';
import { questionsName, savedQuestions } from './questions/saved-questions.ts';
import { meetingRefused } from './refused/meeting-refused.ts';
import { refusalCountStore } from './refused/refusal-counts.ts';
import { refusedStore } from './refused/refused.ts';
import { balancerStore } from './sharding/balancer.ts';
import { clusterStore } from './sharding/cluster.ts';
import { sharding as shardingOf } from './sharding/shard-collections.ts';
import { entrySplits } from './sharding/split-entries.ts';
import { savedViews, viewsName } from './views/saved-views.ts';
import { deliveryStore } from './webhooks/deliveries.ts';
import { webhookStore } from './webhooks/webhooks.ts';

export type Database = ReturnType<typeof connectDatabase>;

/** Durability is stated, not left to the topology: a replica set with an arbiter would default to w:1. */
const durable: MongoClientOptions = {
  readConcern: { level: 'majority' },
  retryWrites: true,
  ignoreUndefined: true,
  // The driver's own, `{}`, has what every object inherits: an array called `valueOf` would be read as bytes.
  fieldsAsRaw: Object.create(null),
};

/** The driver's complaints can repeat what is in the URL: here they do not. */
function createClient(url: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch (error) {
    const { message } = error as Error;
    const credentials = url.slice(url.indexOf('//') + 2, Math.max(url.lastIndexOf('@'), 0));
    const repeats = credentials.split(':').some((part) => part !== '' && message.includes(part));
    throw new ConfigError(`MONGODB_URL cannot be used${repeats ? '' : `: ${message}`}`);
  }
}

/** A worker's scan of millions of entries is slow, not lost. */
const patientMs = 600_000;

/**
 * Opens the store. The driver connects at the first operation, so this never fails while the server is away.
 * The path of the URL names the database.
 *
 * `timeoutMs` limits each step of an operation, as the driver's own `timeoutMS` has no effect.
 * `patient` allows longer scans. `filterMs` limits a filtered listing.
 */
export function connectDatabase(
  { url, timeoutMs, filterMs }: { url: string; timeoutMs: number; filterMs?: number },
  appName: string,
  patience: 'patient' | 'impatient',
  metrics?: Metrics,
  onDeleted?: OnDeleted,
) {
  const named = createClient(url, {}).options.dbName;
  const database = named === 'test' ? 'sluice' : named;
  const client = createClient(url, {
    ...durable,
    appName: connectionName(appName, database),
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: timeoutMs },
    serverSelectionTimeoutMS: Math.min(timeoutMs, 5_000),
    connectTimeoutMS: Math.min(timeoutMs, 5_000),
    waitQueueTimeoutMS: timeoutMs,
    socketTimeoutMS: patience === 'patient' ? Math.max(timeoutMs, patientMs) : timeoutMs,
    maxPoolSize: 50,
    // How soon a primary that does not answer is taken for gone.
    heartbeatFrequencyMS: 2_000,
    ...(metrics && { connectionType: timedConnections(metrics) }),
  });
  // Where the first connection fails, the driver keeps the topology that it closed, and tries no other.
  client.on('topologyClosed', () => Object.assign(client, { topology: undefined }));
  const db = client.db(database);
  if (metrics) {
    monitorPool(client, metrics);
    monitorPrimary(db, metrics);
  }
  const milestones = milestoneStore(db);
  const horizon = horizonStore(db);
  const webhooks = webhookStore(db, horizon);
  const mails = mailStore(db);
  const alerts = alertStore(db, webhooks.fromHere, mails);

  /** Makes the webhooks and alerts of these applications due that tell one of these events. */
  async function noteEvents(events: WebhookEvent[], applications: string[]): Promise<void> {
    await Promise.all([webhooks.noteEvents(events, applications), alerts.noteEvents(events, applications)]);
  }
  const writer = createWriter(horizon, {
    tell: (applications) => webhooks.noteEvents(['entries.stored'], applications),
  });
  const entries = entryStore(db, timeoutMs, {
    milestones,
    filterMs,
    horizon,
    writer,
  });
  const refusalCounts = refusalCountStore(db, (applications) =>
    noteEvents(['refusals.threshold'], applications),
  );
  const fields = fieldStore(db);
  const removals = removalStore(db);
  const deletions = deletionStore(db, timeoutMs, async (session, application, keys, version) => {
    await removals.note(session, application, keys, version);
    await onDeleted?.(session, application, keys, version);
  });
  const cluster = clusterStore(db);
  const balancer = balancerStore(db, cluster);
  const sharding = shardingOf(cluster, { prepare: entries.prepare, record: () => recordKeys(db) });

  /**
   * MongoDB's time in ms since the epoch, after a write that a majority has journaled: so all that was written before is there too. On a
   * sharded cluster it is the time of the `mongos` that was asked. May take as long as a patient operation.
   */
  async function clock(): Promise<number> {
    const notes = db.collection<{ _id: string; at: Date }>(operationsName);
    const found = await notes.findOneAndUpdate({ _id: 'clock' }, [{ $set: { at: '$$NOW' } }], {
      upsert: true,
      returnDocument: 'after',
    });
    return (found as unknown as { at: Date }).at.getTime();
  }

  const createMissing = async () => void (await Promise.all([entries.prepare(), createIndexes(db)]));

  return {
    db,
    writer,
    users: userStore(db),
    usedStates: usedStates(db),
    personalTokens: personalTokenStore(db),
    applications: applicationStore(db),
    schemas: schemaStore(db, fields, timeoutMs),
    entries,
    rawEntries: rawEntries(db),
    /** See there. */
    matchEntries: (conditions: Condition[], entries: JsonEntry[]) => matchEntries(db, conditions, entries),
    /** See there. */
    foldedLetters: foldedLetters(db),
    milestones,
    horizon,
    deletions,
    archives: archiveStore(db),
    askedArchives: askedArchives(db, removals),
    savedQuestions: savedQuestions(db),
    savedViews: savedViews(db),
    compactions: compactionStore(db),
    removals,
    erased: { ...erasedStore(db), eraseAgain: eraseAgain(db, deletions) },
    live: liveStore(db, { milestones, horizon }),
    batches: batchStore(db, { entries, writer, horizon, timeoutMs }),
    delivered: deliveredStore(db, entries.prepare),
    keys: keyStore(db),
    senders: senderStore(db),
    valueSurveys: valueSurveys(db),
    changes: changeStore(db, timeoutMs),
    fields,
    refused: { ...refusedStore(db, writer), ...meetingRefused(db) },
    refusalCounts,
    webhooks: { ...webhooks, noteEvents },
    alerts,
    mails,
    addresses: addressStore(db),
    serving: servingStore(db),
    sources: sourceStore(db),
    deliveries: deliveryStore(db),
    audit: auditStore(db),
    disagreements: disagreementStore(db),
    inspection: inspection(db),
    cluster,
    balancer,
    sharding,
    entrySplits: entrySplits(db, cluster),
    backup: backupStore(db, {
      cluster,
      balancer,
      sharding,
      now: clock,
      prepare: createMissing,
    }),
    /**
     * Upgrades the database, and creates what indexes are missing. Throws IncompatibleDatabase. Rejects while only part of a backup is
     * restored, and while another process upgrades the database.
     */
    async prepare(): Promise<void> {
      await refuseHalfRestored(db);
      await migrate(db);
      await createMissing();
    },
    /** Removes all that is kept beside the entries and jobs of a deleted application. */
    async removeRest(application: string): Promise<void> {
      const _id = new ObjectId(application);
      for (const name of [
        'milestones',
        'batches',
        archivesName,
        removalsName,
        erasedName,
        'keys',
        'senders',
        'schemas',
        'refused',
        'webhooks',
        alertsName,
        questionsName,
        viewsName,
        'deliveries',
      ])
        await db.collection(name).deleteMany({ application: _id });
      await refusalCounts.removeAll(application);
      await removeKeyRecords(db, application);
      for (const name of ['fields', 'deletions', sourcesName]) await db.collection(name).deleteOne({ _id });
    },
    /** Resolves when the server answers; rejects after 2 s. */
    async ping(): Promise<void> {
      await within(2_000, 'MongoDB does not answer', db.command({ ping: 1 }));
    },
    clock,
    async close(): Promise<void> {
      await writer.close();
      await client.close();
    },
  };
}

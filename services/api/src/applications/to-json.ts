import type { Store } from '@sluice/jobs/connect.ts';
import { createSideBySide } from '@sluice/shared/side-by-side.ts';
import { roleOf } from '@sluice/store/applications/application-document.ts';
import type {
  ApplicationRecord,
  ApplicationSize,
  ApplicationStore,
} from '@sluice/store/applications/applications.ts';
import type { Existence } from '@sluice/store/applications/deleted-applications.ts';
import { minuteOf } from '@sluice/store/refused/refusal-counts.ts';
import type { FastifyReply } from 'fastify';
import { sendJson } from '../http/answers.ts';
import { toArchivedBefore } from '../http/archived-before.ts';
import type { Capacities } from '../limits/capacity.ts';
import type { ApplicationAnswer } from './contract.ts';

const dayMs = 86_400_000;
const atOnce = 10;

/** Counts that are not in the record of an application. */
interface Activity {
  entries: number;
  lastEntryAt: Date | undefined;
  /** Uploads that were refused within 24 hours. */
  refused: number;
}

export type ActivityOf = (applications: ApplicationRecord[]) => Promise<Map<string, Activity>>;

/** Looks up the activity of applications, by id. Only those with entries cost a query each. */
export const createActivityOf =
  ({ entries, refusalCounts }: Pick<Store, 'entries' | 'refusalCounts'>): ActivityOf =>
  async (applications) => {
    const found = new Map<string, Activity>();
    if (applications.length === 0) return found;
    const ids = applications.map(({ id }) => id);
    const since = new Date(minuteOf(Date.now() - dayMs));
    const [newest, refused] = await Promise.all([entries.newest(ids), refusalCounts.since(ids, since)]);

    async function look({ id, hasDeletions }: ApplicationRecord): Promise<void> {
      const lastEntryAt = newest.get(id);
      const count = lastEntryAt ? await entries.count(id, { isIntact: !hasDeletions }) : 0;
      found.set(id, { entries: count, lastEntryAt, refused: refused.get(id)?.refused ?? 0 });
    }
    const sideBySide = createSideBySide(atOnce);
    for (const application of applications) await sideBySide.add(() => look(application));
    await sideBySide.finish();
    return found;
  };

const none: Activity = { entries: 0, lastEntryAt: undefined, refused: 0 };

/** What its members set. */
export const settingsOf = (record: ApplicationRecord) => ({
  name: record.name,
  type: record.type,
  connectors: record.connectors,
  key_required: record.keyRequired,
  allowed_origins: record.allowedOrigins,
  retention_days: record.retentionDays,
  archive: record.retentionArchive,
  unique: record.unique,
  refused: record.refused,
});

/** An application as a user sees it who has a role in it, as JSON text, in which the schema keeps its digits. */
export function toJson(
  record: ApplicationRecord,
  userId: string,
  { entries, lastEntryAt, refused }: Activity = none,
  warnings: string[] = [],
): string {
  const { rawSchema } = record;
  const { name, ...settings } = settingsOf(record);
  const fields: Omit<ApplicationAnswer, 'template'> = {
    name,
    owner: record.owner.username,
    role: roleOf(record, userId) ?? 'reader',
    domain: record.domain,
    ...settings,
    ...toArchivedBefore(record),
    createdAt: record.createdAt.toISOString(),
    lastModifiedAt: record.lastModifiedAt.toISOString(),
    entries,
    last_entry_at: lastEntryAt?.toISOString() ?? null,
    refused_24h: refused,
    ...(record.deletedAt && { deleted_at: record.deletedAt.toISOString() }),
    ...(record.purgeAt && { purge_at: record.purgeAt.toISOString() }),
    ...(warnings.length > 0 && { warnings }),
  };
  const template = `{"version":${record.version},"raw_schema":${JSON.stringify(rawSchema)},"schema":${rawSchema}}`;
  return `${JSON.stringify(fields).slice(0, -1)},"template":${template}}`;
}

export const createSendOne =
  (activityOf: ActivityOf) =>
  async (reply: FastifyReply, application: ApplicationRecord, userId: string, warnings?: string[]) => {
    const activity = await activityOf([application]);
    return sendJson(reply, toJson(application, userId, activity.get(application.id), warnings));
  };

/** What one query reads; bytes are of BSON. To write so much takes a few milliseconds. */
const groupOf = { count: 100, bytes: 256 * 1024 };

interface Group {
  ids: string[];
  bytes: number;
}

/** A list has two groups in memory. JSON is up to three times as long as BSON: it has the schema twice, once with escapes. */
const bytesOfGroup = 2 * 3;

/** Groups within the limits. A larger application is a group of its own. */
function toGroups(sizes: ApplicationSize[]): Group[] {
  const groups: Group[] = [];
  for (const { id, bytes } of sizes) {
    const last = groups.at(-1);
    if (last && last.ids.length < groupOf.count && last.bytes + bytes <= groupOf.bytes) {
      last.ids.push(id);
      last.bytes += bytes;
    } else groups.push({ ids: [id], bytes });
  }
  return groups;
}

/** Writes lists of applications. One group at a time is read and written, for all clients, so that uploads continue. */
export function createListApplications(
  applications: Pick<ApplicationStore, 'byIds'>,
  activityOf: ActivityOf,
  { answers, listParts }: Pick<Capacities, 'answers' | 'listParts'>,
) {
  async function* write(userId: string, groups: Group[], existence?: Existence): AsyncGenerator<string> {
    for (const { ids } of groups) {
      yield await listParts.runInFairOrder(userId, async () => {
        const records = await applications.byIds(ids, existence);
        const activity = await activityOf(records);
        return records.map((record) => toJson(record, userId, activity.get(record.id))).join(',');
      });
    }
  }

  /** The JSON of a group at a time, without applications that are deleted meanwhile. Throws ApiError. */
  return (
    reply: FastifyReply,
    userId: string,
    sizes: ApplicationSize[],
    existence?: Existence,
  ): AsyncGenerator<string> => {
    const groups = toGroups(sizes);
    const largest = groups.reduce((most, { bytes }) => Math.max(most, bytes), 0);
    // A client may stop reading and stay.
    answers.lease(reply, userId).take(bytesOfGroup * largest);
    return write(userId, groups, existence);
  };
}

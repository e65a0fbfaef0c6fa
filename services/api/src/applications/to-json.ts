import { roleOf } from '@sluice/store/applications/application-document.ts';
import type {
  ApplicationRecord,
  ApplicationSize,
  ApplicationStore,
} from '@sluice/store/applications/applications.ts';
import type { Existence } from '@sluice/store/applications/deleted-applications.ts';
import type { FastifyReply } from 'fastify';
import { sendJson } from '../http/answers.ts';
import { toArchivedBefore } from '../http/archived-before.ts';
import type { Capacities } from '../limits/capacity.ts';
import type { Activity, ActivityOf } from './activity.ts';
import type { ApplicationAnswer } from './contract.ts';

const none: Activity = {
  entries: 0,
  entriesOfDay: 0,
  lastEntryAt: undefined,
  refused: 0,
  failing: { webhooks: 0, archives: 0, jobs: 0 },
};

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
  { entries, entriesOfDay, lastEntryAt, refused, failing, bytes }: Activity = none,
  warnings: string[] = [],
): string {
  const { rawSchema } = record;
  const { name, ...settings } = settingsOf(record);
  const role = roleOf(record, userId) ?? 'reader';
  const fields: Omit<ApplicationAnswer, 'template'> = {
    name,
    owner: record.owner.username,
    role,
    domain: record.domain,
    ...settings,
    ...toArchivedBefore(record),
    createdAt: record.createdAt.toISOString(),
    lastModifiedAt: record.lastModifiedAt.toISOString(),
    entries,
    entries_24h: entriesOfDay,
    ...(bytes !== undefined && { bytes }),
    last_entry_at: lastEntryAt?.toISOString() ?? null,
    refused_24h: refused,
    ...(role !== 'reader' && { failing }),
    ...(record.deletedAt && { deleted_at: record.deletedAt.toISOString() }),
    ...(record.purgeAt && { purge_at: record.purgeAt.toISOString() }),
    ...(warnings.length > 0 && { warnings }),
  };
  const template = `{"version":${record.version},"raw_schema":${JSON.stringify(rawSchema)},"schema":${rawSchema}}`;
  return `${JSON.stringify(fields).slice(0, -1)},"template":${template}}`;
}

export const createSendOne =
  (activityOf: ActivityOf) =>
  async (
    reply: FastifyReply,
    application: ApplicationRecord,
    userId: string,
    { warnings, bytes }: { warnings?: string[]; bytes?: number | undefined } = {},
  ) => {
    const activity = (await activityOf([application])).get(application.id) ?? none;
    return sendJson(reply, toJson(application, userId, { ...activity, bytes }, warnings));
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

import type { ApplicationSize, ApplicationStore } from '@sluice/store/applications/applications.ts';
import type { Existence } from '@sluice/store/applications/deleted-applications.ts';
import type { FastifyReply } from 'fastify';
import type { Capacities } from '../limits/capacity.ts';
import { type ActivityOf, toJson } from './to-json.ts';

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
  async function* write(ownerId: string, groups: Group[], existence?: Existence): AsyncGenerator<string> {
    for (const { ids } of groups) {
      yield await listParts.runInFairOrder(ownerId, async () => {
        const records = await applications.byIds(ids, existence);
        const activity = await activityOf(records);
        return records.map((record) => toJson(record, activity.get(record.id))).join(',');
      });
    }
  }

  /** The JSON of a group at a time, without applications that are deleted meanwhile. Throws ApiError. */
  return (
    reply: FastifyReply,
    ownerId: string,
    sizes: ApplicationSize[],
    existence?: Existence,
  ): AsyncGenerator<string> => {
    const groups = toGroups(sizes);
    const largest = groups.reduce((most, { bytes }) => Math.max(most, bytes), 0);
    // A client may stop reading and stay.
    answers.lease(reply, ownerId).take(bytesOfGroup * largest);
    return write(ownerId, groups, existence);
  };
}

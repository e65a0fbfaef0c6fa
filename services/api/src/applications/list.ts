import type { ApplicationSize, ApplicationStore } from '@sluice/store/applications/applications.ts';
import type { Existence } from '@sluice/store/applications/deleted-applications.ts';
import type { FastifyReply } from 'fastify';
import type { Capacities } from '../limits/capacity.ts';
import type { ActivityOf } from './activity.ts';
import { toJson } from './to-json.ts';

/** Applications that are read by one query, and their bytes as BSON: a schema may have 256 KiB. It takes a few milliseconds to write them. */
const groupOf = { count: 100, bytes: 256 * 1024 };

interface Group {
  ids: string[];
  bytes: number;
}

/** A list holds two groups. JSON has up to three times the bytes of BSON: it has the schema twice, once with escapes. */
const bytesOfGroup = 2 * 3;

/** Groups of at most so many applications and bytes, or of one of any size. */
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

/** Writes lists of applications. However many clients list, one group at a time is read and written, so that uploads go on beside. */
export function createListApplications(
  applications: Pick<ApplicationStore, 'byIds'>,
  activityOf: ActivityOf,
  { answers, listParts }: Pick<Capacities, 'answers' | 'listParts'>,
) {
  async function* write(ownerId: string, groups: Group[], existence?: Existence): AsyncGenerator<string> {
    let before = '{"success":true,"status":200,"data":[';
    for (const { ids } of groups) {
      const group = await listParts.runInFairOrder(ownerId, async () => {
        const records = await applications.byIds(ids, existence);
        const activity = await activityOf(records);
        return records.map((record) => toJson(record, activity.get(record.id))).join(',');
      });
      if (group === '') continue;
      yield before + group;
      before = ',';
    }
    yield before === ',' ? ']}' : `${before}]}`;
  }

  /** The answer in pieces of a group each. An application that is deleted meanwhile is left out. Throws ApiError. */
  return (
    reply: FastifyReply,
    ownerId: string,
    sizes: ApplicationSize[],
    existence?: Existence,
  ): AsyncGenerator<string> => {
    const groups = toGroups(sizes);
    const largest = groups.reduce((most, { bytes }) => Math.max(most, bytes), 0);
    // A client may stop reading in the middle, and stay.
    answers.lease(reply, ownerId).take(bytesOfGroup * largest);
    return write(ownerId, groups, existence);
  };
}

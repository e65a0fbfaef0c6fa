import type { Application } from '@sluice/shared/contracts/applications.ts';
import type {
  ApplicationRecord,
  ApplicationSize,
  ApplicationStore,
} from '@sluice/store/applications/applications.ts';
import type { Existence } from '@sluice/store/applications/deleted-applications.ts';
import type { FastifyReply } from 'fastify';
import type { Capacities } from '../limits/capacity.ts';

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

/** An application as its owner sees it, as JSON. The schema is JSON already: it is not parsed and written again. */
export function toJson(record: ApplicationRecord, warnings: string[] = []): string {
  const { rawSchema } = record;
  const fields: Omit<Application, 'template'> = {
    name: record.name,
    owner: record.owner.username,
    domain: record.domain,
    type: record.type,
    connectors: record.connectors,
    key_required: record.keyRequired,
    allowed_origins: record.allowedOrigins,
    retention_days: record.retentionDays,
    refused: record.refused,
    createdAt: record.createdAt.toISOString(),
    lastModifiedAt: record.lastModifiedAt.toISOString(),
    ...(record.deletedAt && { deleted_at: record.deletedAt.toISOString() }),
    ...(record.purgeAt && { purge_at: record.purgeAt.toISOString() }),
    ...(warnings.length > 0 && { warnings }),
  };
  const template = `{"version":${record.version},"raw_schema":${JSON.stringify(rawSchema)},"schema":${rawSchema}}`;
  return `${JSON.stringify(fields).slice(0, -1)},"template":${template}}`;
}

/** Writes lists of applications. However many clients list, one group at a time is read and written, so that uploads go on beside. */
export function createListApplications(
  applications: Pick<ApplicationStore, 'byIds'>,
  { lists, listParts }: Pick<Capacities, 'lists' | 'listParts'>,
) {
  async function* write(ownerId: string, groups: Group[], existence?: Existence): AsyncGenerator<string> {
    let before = '{"success":true,"status":200,"data":[';
    for (const { ids } of groups) {
      const group = await listParts.runInFairOrder(ownerId, async () =>
        (await applications.byIds(ids, existence)).map((record) => toJson(record)).join(','),
      );
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
    lists.lease(reply, ownerId).take(bytesOfGroup * largest);
    return write(ownerId, groups, existence);
  };
}

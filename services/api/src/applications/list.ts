import type { ApplicationSize, ApplicationStore } from '@sluice/shared/store/applications.ts';
import { createGate } from '../limits/gate.ts';
import { toJson } from './shown.ts';

/** Applications that are read by one query, and their bytes as BSON: a schema may have 256 KiB. It takes a few milliseconds to write them. */
const groupOf = { count: 100, bytes: 256 * 1024 };

/** Groups of at most so many applications and bytes, or of one of any size. */
function toGroups(sizes: ApplicationSize[]): string[][] {
  const groups: string[][] = [];
  let group: string[] = [];
  let left = 0;
  for (const { id, bytes } of sizes) {
    if (group.length === groupOf.count || bytes > left) {
      group = [];
      groups.push(group);
      left = groupOf.bytes;
    }
    group.push(id);
    left -= bytes;
  }
  return groups;
}

/** Writes lists of applications. However many clients list, one group at a time is read and written, so that uploads go on beside. */
export function createListApplications(applications: Pick<ApplicationStore, 'byIds'>) {
  const endless = Number.POSITIVE_INFINITY;
  const pass = createGate({
    atOnce: 1,
    // A list that has begun cannot be refused any more. A connection has one that waits.
    limits: { waitingOfClient: endless, waiting: endless },
    waitingMs: endless,
    what: 'lists',
  });

  /** The answer in pieces of a group each. An application that is deleted meanwhile is left out. */
  return async function* list(ownerId: string, sizes: ApplicationSize[]): AsyncGenerator<string> {
    let before = '{"success":true,"status":200,"data":[';
    for (const ids of toGroups(sizes)) {
      const group = await pass(ownerId, async () => (await applications.byIds(ids)).map(toJson).join(','));
      if (group === '') continue;
      yield before + group;
      before = ',';
    }
    yield before === ',' ? ']}' : `${before}]}`;
  };
}

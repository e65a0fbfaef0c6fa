import type { ApplicationSize, ApplicationStore } from '@sluice/shared/store/applications.ts';
import { createGate } from '../limits/gate.ts';
import { toJson } from './shown.ts';

/** Of applications that are read by one query, as BSON: a schema may have 256 KiB. */
const groupBytes = 256 * 1024;

/** Groups of at most so many bytes, or of one application. */
function toGroups(sizes: ApplicationSize[]): string[][] {
  const groups: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const one of sizes) {
    bytes += one.bytes;
    if (bytes > groupBytes) {
      groups.push([]);
      bytes = one.bytes;
    }
    groups.at(-1)?.push(one.id);
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

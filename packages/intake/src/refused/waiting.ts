import type { RefusedRecord } from '@sluice/store/refused/refused-records.ts';
import { overShare } from './over-share.ts';

/** Bytes of a record besides payload and details. */
const overhead = 512;

interface Waiting {
  /** Id of the owner. */
  owner: string;
  record: RefusedRecord;
}

const sizeOf = ({ record }: Waiting) => record.size + overhead;
const ownerOf = ({ owner }: Waiting) => owner;
const applicationOf = ({ record }: Waiting) => record.application;

/** Records that wait to be stored. If they have too many bytes, the owners with most of them lose their oldest records. */
export function createWaiting(mostBytes: number) {
  let waiting: Waiting[] = [];
  let bytes = 0;

  function add(items: Waiting[]): void {
    waiting.push(...items);
    bytes += items.reduce((sum, item) => sum + sizeOf(item), 0);
    if (bytes > mostBytes) drop();
  }

  /** Makes some room, so that the next record does not drop again. */
  function drop(): void {
    const dropped = new Set<Waiting>();
    for (const { items, share } of overShare(waiting, sizeOf, (mostBytes * 7) / 8, [
      ownerOf,
      applicationOf,
    ])) {
      let own = items.reduce((sum, item) => sum + sizeOf(item), 0);
      for (const oldest of items) {
        if (own <= share) break;
        dropped.add(oldest);
        own -= sizeOf(oldest);
      }
    }
    waiting = waiting.filter((item) => !dropped.has(item));
    bytes = waiting.reduce((sum, item) => sum + sizeOf(item), 0);
  }

  return {
    add: (owner: string, record: RefusedRecord): void => add([{ owner, record }]),

    /** Takes all records, which makes room for others. `putBack` returns records that could not be stored. */
    take(): { records: RefusedRecord[]; putBack(): void } {
      const taken = waiting;
      waiting = [];
      bytes = 0;
      return {
        records: taken.map(({ record }) => record),
        putBack() {
          const newer = waiting;
          waiting = [];
          bytes = 0;
          add([...taken, ...newer]);
        },
      };
    },
  };
}

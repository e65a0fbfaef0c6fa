import type { Store } from '@sluice/jobs/connect.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { compact } from './compact.ts';

/** Objects that are changed only under a lease: `check` throws once it is lost, also amid an upload. */
export function underCheck(objects: ObjectStore, check: () => void): ObjectStore {
  async function* checked(pieces: AsyncIterable<Uint8Array>) {
    for await (const piece of pieces) {
      check();
      yield piece;
    }
    check();
  }
  return {
    ...objects,
    replace: (name, pieces) => objects.replace(name, checked(pieces)),
    async remove(name) {
      check();
      await objects.remove(name);
    },
  };
}

/** Compacts an archive unless another process does, or has within `everyMs`; says in one line what came of it. */
export async function compactOne(
  store: Pick<Store, 'archives' | 'compactions' | 'jobs'>,
  { archive, domain, objects }: { archive: ArchiveRecord; domain: string; objects: ObjectStore },
  everyMs?: number,
): Promise<string | undefined> {
  const compacted = await store.compactions.compact(archive, everyMs, (check) =>
    compact(store, underCheck(objects, check), archive, domain),
  );
  if (!compacted) return everyMs === undefined ? 'another process compacts it now' : undefined;
  const { entries, rewritten, removed, orphans, bytes } = compacted;
  const shown = (count: number) => count.toLocaleString('en');
  return `${shown(entries)} deleted entries taken out, ${shown(rewritten)} files rewritten, ${shown(removed + orphans)} removed, ${shown(bytes)} bytes freed`;
}

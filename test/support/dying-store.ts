import type { ObjectStore } from '@sluice/objects/object-store.ts';

/** An object store whose user is killed when it has stored so many objects: before the next one, or just after it. */
export function dyingStore(objects: ObjectStore, stored: number, isAfter: boolean): ObjectStore {
  let left = stored;
  return {
    ...objects,
    async create(...given) {
      if (left-- > 0) return objects.create(...given);
      if (isAfter) await objects.create(...given);
      throw new Error('killed');
    },
  };
}

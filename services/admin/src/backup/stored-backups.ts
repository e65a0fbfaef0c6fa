import type { ObjectStore } from '@sluice/objects/object-store.ts';

export interface StoredBackup {
  name: string;
  /** When it began. */
  at: Date;
  bytes: number;
}

const named = /^sluice-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup(\.age)?$/;

export const isStoredName = (name: string): boolean => named.test(name);

/** `sluice-20261122T021500Z.backup`, with `.age` behind it if it is encrypted. */
export const nameOf = (startedAt: Date, isEncrypted: boolean): string =>
  `sluice-${startedAt.toISOString().slice(0, 19).replace(/[:-]/g, '')}Z.backup${isEncrypted ? '.age' : ''}`;

/** The backups of a bucket or a folder, the newest last. */
export async function storedBackups(objects: ObjectStore): Promise<StoredBackup[]> {
  const found: StoredBackup[] = [];
  for await (const { name, bytes } of objects.list('sluice-')) {
    const time = name.match(named) && name.replace(named, '$1-$2-$3T$4:$5:$6Z');
    if (time) found.push({ name, at: new Date(time), bytes });
  }
  return found.sort((a, b) => a.at.getTime() - b.at.getTime());
}

/** Removes the backups that began before a time, except the newest one. */
export async function prune(objects: ObjectStore, before: Date): Promise<void> {
  for (const { name, at } of (await storedBackups(objects)).slice(0, -1))
    if (at < before) await objects.remove(name);
}

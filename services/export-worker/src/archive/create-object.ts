import { JobFailed } from '@sluice/jobs/kind.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { sha256Of } from '@sluice/objects/pieces.ts';
import type { Spool } from '@sluice/objects/spool.ts';
import { freeBuffer } from '@sluice/shared/free-buffer.ts';

type Content = Pick<Spool, 'pieces' | 'sha256'>;

/** Frees each piece when the store is done with it. */
async function* freed(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    yield piece;
    freeBuffer(piece);
  }
}

/** Whether the object is there with these bytes. */
export async function isThere(
  store: Pick<ObjectStore, 'read'>,
  name: string,
  sha256: string,
): Promise<boolean> {
  const pieces = await store.read(name);
  return pieces !== undefined && (await sha256Of(pieces)) === sha256;
}

/**
 * Stores an object, once, and returns its name. What another worker stored with the same bytes is taken;
 * where the name has other bytes, the name gets the fence.
 */
export async function createObject(
  store: Pick<ObjectStore, 'create' | 'read'>,
  { folder, stem, extension }: { folder: string; stem: string; extension: string },
  { pieces, sha256 }: Content,
  fence: number,
): Promise<string> {
  for (const name of [`${stem}.${extension}`, `${stem}-${fence}.${extension}`]) {
    const path = `${folder}/${name}`;
    if ((await store.create(path, freed(pieces()))) || (await isThere(store, path, sha256()))) return name;
  }
  throw new JobFailed(
    `${folder}/${stem}.${extension} changes while it is stored: let nothing else write there`,
  );
}

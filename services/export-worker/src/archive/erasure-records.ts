import type { Store } from '@sluice/jobs/connect.ts';
import type { ErasureJob } from '@sluice/jobs/record/erasure-record.ts';
import { erasureName } from '@sluice/objects/lake/erasure.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { erasedHashBytes } from '@sluice/store/erasures/erased.ts';

type Stores = Pick<Store, 'archives' | 'erased' | 'jobs'>;

/** Stores the records of erasures that are to lie beside the files, so that a restored backup loses the same again. */
export async function createErasureRecords(
  { archives, erased, jobs }: Stores,
  store: Pick<ObjectStore, 'create'>,
  folder: string,
  archive: ArchiveRecord,
): Promise<void> {
  const { erasures = [] } = archive;
  if (erasures.length === 0) return;
  for (const id of erasures) {
    const job = await jobs.get(id);
    if (job?.kind === 'erasure') await store.create(erasureName(folder, id), pieces(erased, job));
  }
  await archives.forgetErasures(archive, erasures);
}

async function* pieces(
  erased: Stores['erased'],
  { id, application, domain, createdAt: at, options: { by }, result }: ErasureJob,
): AsyncGenerator<Buffer> {
  const record = JSON.stringify({ id, application, domain, by, at, ...result });
  yield Buffer.from(`${record.slice(0, -1)},"hashes":[`);
  let separator = '';
  for await (const hashes of erased.hashesOf({ application, id })) {
    const hex = hashes.toString('hex').match(new RegExp(`.{${2 * erasedHashBytes}}`, 'g')) ?? [];
    yield Buffer.from(separator + hex.map((one) => `"${one}"`).join());
    separator = ',';
  }
  yield Buffer.from(']}\n');
}

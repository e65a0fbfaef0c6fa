import type { Block } from '@sluice/store/backup/block.ts';
import { type ErasedDocument, erasedName } from '@sluice/store/erasures/erased.ts';
import { BSON } from 'mongodb';
import type { ErasureRecord } from './erasure-record.ts';
import type { ErasureDocument, JobDocument } from './job-records.ts';

/** An erasure as a backup or an archive knows it. A failed erasure has no record. */
export interface KnownErasure {
  id: string;
  application: string;
  /** See `erasedHash`. */
  hashes: Buffer;
  record?: ErasureRecord | undefined;
}

/** Collects the erasures of a backup. */
export function erasuresOfBackup() {
  const erased = new Map<string, { application: string; hashes: Uint8Array[] }>();
  const records = new Map<string, ErasureRecord>();

  return {
    add({ collection, documents }: Block): void {
      for (const document of documents) {
        if (collection === 'jobs') addJob(BSON.deserialize(document) as JobDocument);
        if (collection !== erasedName) continue;
        const { erasure, application, hashes } = BSON.deserialize(document) as ErasedDocument;
        const id = erasure.toHexString();
        const known = erased.get(id) ?? { application: application.toHexString(), hashes: [] };
        known.hashes.push(hashes.buffer);
        erased.set(id, known);
      }
    },

    all: (): KnownErasure[] =>
      Array.from(erased, ([id, { application, hashes }]) => ({
        id,
        application,
        hashes: Buffer.concat(hashes),
        record: records.get(id),
      })),
  };

  function addJob(job: JobDocument): void {
    if (job.kind !== 'erasure' || job.state !== 'completed') return;
    const { _id, application, domain, options, createdAt, result } = job as ErasureDocument;
    const id = _id.toHexString();
    const counts = result ?? { entries: 0, refused: 0, files: 0 };
    const named = { id, application: application.toHexString(), domain, by: options.by, at: createdAt };
    records.set(id, { ...named, ...counts });
  }
}

import { createHash } from 'node:crypto';
import { noneStored, toLineError } from '@sluice/intake/line-errors.ts';
import { applicationNotFound } from '@sluice/shared/errors.ts';
import type { BatchRecord } from '@sluice/store/entries/batches.ts';
import { hashIdempotencyKey } from '@sluice/store/entries/once.ts';
import type { BatchResult } from '../contract.ts';
import { senderOf } from '../steps.ts';
import type { Batch, BatchDependencies, NumberedBatch } from './batch.ts';
import { createStoreAll } from './store-all.ts';
import { createStoreEach } from './store-each.ts';

/** Stores the lines of a batch. A refused line fails alone, unless the batch is atomic. Throws ApiError. */
export function createStoreBatch(dependencies: BatchDependencies) {
  const { cache, senders, checkUpload } = dependencies;
  const storeEach = createStoreEach(dependencies);
  const storeAll = createStoreAll(dependencies);

  return async function storeBatch(domain: string, batch: Batch): Promise<BatchResult> {
    const application = await cache.get(domain);
    if (!application) throw applicationNotFound(domain);
    const { atomic, lines } = batch;
    checkUpload?.(application.owner);
    batch.spend?.(application.id, lines.length);
    const by = await senders.numberOf(application.id, senderOf('batch', batch.sent));
    const record = toRecord(application.id, { ...batch, by });
    const { accepted, repeated, errors } = await (atomic ? storeAll : storeEach)(
      application,
      { ...batch, by },
      record,
    );
    errors.sort((a, b) => a.line - b.line);
    if (lines.length > 0 && accepted === 0) throw noneStored(lines.length, errors);
    return {
      accepted,
      ...(repeated > 0 && { repeated }),
      rejected: errors.length,
      errors: errors.map(toLineError),
    };
  };
}

function toRecord(application: string, { key, atomic, body, by }: NumberedBatch): BatchRecord | undefined {
  if (key === undefined) return undefined;
  const hash = createHash('sha256')
    .update(atomic ? 'all\0' : 'each\0')
    .update(body)
    .digest();
  return { idempotencyHash: hashIdempotencyKey('batch', application, key), application, hash, by };
}

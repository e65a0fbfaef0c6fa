import type { Intake, RecordFields } from '@sluice/intake/intake.ts';
import type { LineFailure } from '@sluice/intake/line.ts';
import type { RefusalRecorder } from '@sluice/intake/refused/recorder.ts';
import type { RefusedUpload } from '@sluice/intake/refused/refused-upload.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { SenderStore } from '@sluice/store/applications/senders.ts';
import type { BatchStore, KnownKey } from '@sluice/store/entries/batches.ts';
import type { EntryStore } from '@sluice/store/entries/entries.ts';
import type { ApplicationCache } from '../../known/applications.ts';
import type { Sent } from '../../known/keyring.ts';
import type { Quotas } from '../../limits/quota.ts';
import type { GroupCommit } from '../group-commit.ts';
import type { UploadMetrics } from '../upload-metrics.ts';
import type { Line } from './lines.ts';
import type { createValidateLines } from './validate-lines.ts';

/** What stores batches needs. */
export interface BatchDependencies {
  cache: ApplicationCache;
  commit: Pick<GroupCommit, 'add'>;
  recordFields: RecordFields;
  senders: Pick<SenderStore, 'numberOf'>;
  batches: BatchStore;
  entries: Pick<EntryStore, 'before'>;
  validateLines: ReturnType<typeof createValidateLines>;
  checkUpload: Quotas['checkUpload'];
  refusalRecorder: Pick<RefusalRecorder, 'note' | 'noteLoss'>;
  metrics?: Pick<UploadMetrics, 'stored' | 'repeated'>;
}

export interface Batch {
  lines: Line[];
  body: Buffer;
  atomic: boolean;
  key?: string | undefined;
  /** Throws ApiError if the batch is over the rate limit. */
  spend?: (applicationId: string, entries: number) => void;
  /** Absent without a key. */
  sent?: Sent | undefined;
  sender?: RefusedUpload['sender'];
}

/** `by`: see `NewEntry`. */
export type NumberedBatch = Batch & { by: number };

export interface StoredBatch {
  accepted: number;
  /** How many of the accepted lines were stored before with the same unique value. */
  repeated: number;
  errors: LineFailure[];
}

/** Validation can take long: nothing may be stored after the purge of the application. */
export async function refuseDeleted(cache: ApplicationCache, { domain }: Intake): Promise<void> {
  if (!(await cache.get(domain))) throw applicationNotFound(domain);
}

/** Throws ApiError if the key of a batch came with another batch. */
export function refuseOther(known: KnownKey): void {
  if (known === 'other') {
    throw new ApiError(
      'ResourceConflictError',
      'this Idempotency-Key was used for another batch, or with another ?atomic; nothing was stored',
    );
  }
}

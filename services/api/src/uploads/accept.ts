import type { IncomingHttpHeaders } from 'node:http';
import type { Examiner } from '@sluice/intake/examiner.ts';
import type { RecordLeaves } from '@sluice/intake/record-leaves.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { Outcome } from '@sluice/store/entries/entries.ts';
import type { ApplicationCache } from '../applications/cache.ts';
import type { Admit } from '../keys/admit.ts';
import type { Quotas } from '../limits/quota.ts';
import type { Spend } from '../limits/rate.ts';
import type { GroupCommit } from './group-commit.ts';
import { idempotencyHash } from './idempotency.ts';
import { outcomeError } from './outcome-errors.ts';

interface Dependencies {
  cache: ApplicationCache;
  admit: Admit;
  commit: GroupCommit;
  examiner: Examiner;
  recordLeaves: RecordLeaves;
  checkUpload: Quotas['checkUpload'];
}

/**
 * Reads, validates and stores one upload. Resolves with the payload's own text once the entry is durable; with a `key` (for idempotency),
 * also when a retry finds it stored. `spend` may refuse it before it is read. Throws ApiError.
 */
export function createAccept({ cache, admit, commit, examiner, recordLeaves, checkUpload }: Dependencies) {
  return async function accept(
    domain: string,
    body: Buffer,
    headers: IncomingHttpHeaders,
    key?: string,
    spend?: Spend,
  ): Promise<string> {
    const application = cache.peek(domain) ?? (await cache.get(domain));
    if (!application) throw applicationNotFound(domain);
    if (application.keyRequired) await admit(application, headers);
    checkUpload?.(application.owner);
    spend?.(application.id, 1);
    const examined = await examiner.examine(application, body);
    if (!examined.ok) {
      const { name, message, details } = await examined.explain();
      throw new ApiError(name, message, details && { details });
    }
    const { json, bson, text, leaves } = examined;
    const recording = recordLeaves.record(application, new Set(leaves));
    if (recording) await recording;
    const once = key === undefined ? undefined : idempotencyHash('upload', application.id, key);
    const entry = { application: application.id, json, bson, once };
    const [outcome] = await commit.add([entry], (bson ?? body).length, 'uploads');
    const error = outcome === 'stored' ? undefined : outcomeError(outcome as Outcome);
    if (error) throw error;
    return text;
  };
}

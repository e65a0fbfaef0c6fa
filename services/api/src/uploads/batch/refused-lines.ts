import type { LineFailure } from '@sluice/intake/line.ts';
import { fateOf } from '@sluice/intake/line-errors.ts';
import type { RefusalRecorder } from '@sluice/intake/refused/recorder.ts';
import { lossOf, type RefusedUpload } from '@sluice/intake/refused/refused-upload.ts';
import { onceBy } from '@sluice/intake/unique.ts';
import type { BatchRecord } from '@sluice/store/entries/batches.ts';
import type { EntryStore } from '@sluice/store/entries/entries.ts';
import { lineHash } from '@sluice/store/entries/once.ts';
import type { CachedApplication } from '../../known/applications.ts';
import type { Sent } from '../../known/keyring.ts';
import { keyOf } from '../steps.ts';
import { explainLines } from './validate-lines.ts';

interface Line {
  failure: LineFailure;
  payload: Buffer;
  idempotencyHash: Buffer | undefined;
}

/** Collects the refused lines of a batch. A batch with an `Idempotency-Key` has a record; only of a retry can they be stored. */
export function createRefusedLines(
  entries: Pick<EntryStore, 'before'>,
  refusalRecorder: Pick<RefusalRecorder, 'note' | 'noteLoss'>,
  { sender, sent, atomic }: { sender?: RefusedUpload['sender']; sent?: Sent | undefined; atomic: boolean },
  { record, isRetry }: { record?: BatchRecord | undefined; isRetry: boolean },
) {
  const batch = record && { idempotencyHash: record.idempotencyHash, hash: record.hash, atomic };
  const lines: Line[] = [];

  return {
    onRefused(failure: LineFailure, payload: Buffer): void {
      const idempotencyHash = batch && lineHash(batch.idempotencyHash, failure.line);
      lines.push({ failure, payload, idempotencyHash });
    },

    /** Whether the validator was too busy for some lines. */
    areSomeUnjudged: () => lines.some(({ failure }) => failure.kind === 'busy'),

    /**
     * Returns the lines that an earlier schema or a replay stored, and removes their errors. Other lines get their details and are
     * kept for the owner, unless their keys were used for other payloads.
     */
    async keep(application: CachedApplication, errors: LineFailure[]): Promise<Set<number>> {
      const sought = lines.flatMap((each) => {
        const { failure, payload, idempotencyHash } = each;
        const hashes = onceBy(application, failure.value, isRetry ? idempotencyHash : undefined);
        return hashes.once ? [{ each, json: payload, ...hashes }] : [];
      });
      const found = sought.length > 0 ? await entries.before(application.id, sought) : [];
      const before = new Map(sought.map(({ each }, i) => [each, found[i]?.outcome]));
      const stored = new Set<number>();
      const others = new Map<number, LineFailure>();
      const refused: Line[] = [];
      for (const each of lines) {
        const { line } = each.failure;
        const outcome = before.get(each);
        const fate = outcome && outcome !== 'duplicate' && fateOf(outcome);
        if (!fate) refused.push(each);
        else if ('refusal' in fate) others.set(line, { line, ...fate });
        else stored.add(line);
      }
      const left = errors.filter(({ line }) => !stored.has(line));
      errors.splice(0, errors.length, ...left.map((error) => others.get(error.line) ?? error));
      await explainLines(errors);
      for (const { failure, payload, idempotencyHash } of refused) {
        const { line, kind, refusal } = failure;
        const key = keyOf(sent);
        const upload: RefusedUpload = {
          source: 'batch',
          reason: kind === 'duplicate' ? kind : undefined,
          line,
          refusal,
          payload,
          idempotencyHash,
          batch,
          sender,
          key,
        };
        const loss = lossOf(refusal);
        if (loss) refusalRecorder.noteLoss(application, loss, { key, upload });
        else refusalRecorder.note(application, upload);
      }
      return stored;
    },
  };
}

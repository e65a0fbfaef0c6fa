import type { Refusal } from '@sluice/intake/line.ts';
import type { RefusalRecorder } from '@sluice/intake/refused/recorder.ts';
import type { RefusedUpload } from '@sluice/intake/refused/refused-upload.ts';
import { isBusyName, type LineError } from '@sluice/shared/errors.ts';
import type { BatchRecord } from '@sluice/store/entries/batches.ts';
import type { EntryStore } from '@sluice/store/entries/entries.ts';
import type { CachedApplication } from '../../applications/cache.ts';
import { lineHash, outcomeError } from '../steps.ts';

type Line = RefusedUpload & { line: number };

/** Collects the refused lines of a batch. A batch with an `Idempotency-Key` has a record; only of a retry can they be stored. */
export function createRefusedLines(
  entries: Pick<EntryStore, 'before'>,
  refusalRecorder: Pick<RefusalRecorder, 'note'>,
  { sender, atomic }: { sender?: RefusedUpload['sender']; atomic: boolean },
  { record, isRetry }: { record?: BatchRecord | undefined; isRetry: boolean },
) {
  const batch = record && { idempotencyHash: record.idempotencyHash, hash: record.hash, atomic };
  const lines: Line[] = [];

  return {
    onRefused(line: number, refusal: Refusal, payload: Buffer): void {
      const idempotencyHash = batch && lineHash(batch.idempotencyHash, line);
      lines.push({ source: 'batch', line, refusal, payload, idempotencyHash, batch, sender });
    },

    /** Whether the validator was too busy for some lines. */
    areSomeUnjudged: () => lines.some(({ refusal }) => isBusyName(refusal.name)),

    /**
     * Returns the lines that an earlier schema or a replay stored, and removes their errors. Other lines are kept for the
     * owner, unless their keys were used for other payloads.
     */
    async keep(application: CachedApplication, errors: LineError[]): Promise<Set<number>> {
      const keyed = lines.flatMap(({ idempotencyHash, payload }) =>
        isRetry && idempotencyHash ? [{ idempotencyHash, json: payload }] : [],
      );
      const before = keyed.length > 0 ? await entries.before(application.id, keyed) : [];
      const stored = new Set<number>();
      const others = new Map<number, LineError>();
      for (const [i, refused] of lines.entries()) {
        const { line } = refused;
        const outcome = before[i]?.outcome;
        const error = outcome && outcomeError(outcome);
        if (error) others.set(line, { line, name: error.name, message: error.message });
        else if (outcome) stored.add(line);
        else refusalRecorder.note(application, refused);
      }
      const left = errors.filter(({ line }) => !stored.has(line));
      errors.splice(0, errors.length, ...left.map((error) => others.get(error.line) ?? error));
      return stored;
    },
  };
}

import type { FailedLine, LineFailure } from '@sluice/intake/line.ts';
import { fateOf, noneStored } from '@sluice/intake/line-errors.ts';
import { type BatchRecord, LinesTaken } from '@sluice/store/entries/batches.ts';
import { lineHash } from '@sluice/store/entries/once.ts';
import type { CachedApplication } from '../../known/applications.ts';
import {
  type BatchDependencies,
  type NumberedBatch,
  refuseDeleted,
  refuseOther,
  type StoredBatch,
} from './batch.ts';
import type { Line } from './lines.ts';
import { createRefusedLines } from './refused-lines.ts';

/** Stores the lines of an atomic batch: all or none. Throws ApiError. */
export function createStoreAll({
  cache,
  recordFields,
  batches,
  entries,
  validateLines,
  refusalRecorder,
  metrics,
}: BatchDependencies) {
  /** The lines that replays have stored. */
  async function replayedLines(
    { lines }: NumberedBatch,
    { idempotencyHash, application }: BatchRecord,
  ): Promise<Set<number>> {
    const before = await entries.before(
      application,
      lines.map(({ line, bytes }) => ({ once: [lineHash(idempotencyHash, line)], json: bytes })),
    );
    return new Set(lines.flatMap(({ line }, at) => (before[at]?.outcome === 'repeated' ? line : [])));
  }

  /** The first pass finds errors, the second stores. */
  async function storeAll(
    application: CachedApplication,
    batch: NumberedBatch,
    record?: BatchRecord,
  ): Promise<StoredBatch> {
    const errors: LineFailure[] = [];
    const all = { accepted: batch.lines.length, repeated: 0, errors };
    const { known, replays } = record ? await batches.lookUp(record) : { known: 'first' as const };
    refuseOther(known);
    if (known === 'again') {
      metrics?.repeated(all.accepted);
      return all;
    }
    const replayed = record && known === 'partly' ? await replayedLines(batch, record) : undefined;
    const open = batch.lines.filter(({ line }) => !replayed?.has(line));
    const refused = createRefusedLines(entries, refusalRecorder, batch, {
      record,
      isRetry: known !== 'first',
    });
    for await (const _ of validateLines(application, open, errors, refused));
    const before = await refused.keep(application, errors);
    if (errors.length > 0) return { ...all, accepted: 0 };
    const lines = open.filter(({ line }) => !before.has(line));
    async function* valid() {
      // Validation can fail now because the server is busy: then no line is stored.
      const late: LineFailure[] = [];
      for await (const chunk of validateLines(application, lines, late)) {
        if (late.length > 0) break;
        await refuseDeleted(cache, application);
        await recordFields.record(application, chunk.fields.pointers);
        yield chunk.entries.map((entry) => ({ ...entry, by: batch.by }));
      }
      if (late.length > 0) throw noneStored(batch.lines.length, late);
    }
    try {
      const { known, repeated } = await batches.storeAll(valid, record, replays);
      refuseOther(known);
      // A replay has stored a line meanwhile.
      if (known === 'partly') return storeAll(application, batch, record);
      const again = before.size + (known === 'first' ? repeated : lines.length);
      metrics?.repeated(again);
      metrics?.stored(open.length - again);
      return { ...all, repeated: before.size + repeated };
    } catch (error) {
      if (!(error instanceof LinesTaken)) throw error;
      // Each line is valid: the first pass has found no error.
      for (const at of error.positions) {
        const { line, bytes } = lines[at] as Line;
        const failure = { line, ...(fateOf('duplicate', application.unique) as FailedLine) };
        errors.push(failure);
        refused.onRefused(failure, bytes);
      }
      await refused.keep(application, errors);
      return { ...all, accepted: 0 };
    }
  }

  return storeAll;
}

import type { LineFailure } from '@sluice/intake/line.ts';
import { fateOf, notBegun, unknown } from '@sluice/intake/line-errors.ts';
import { ApiError, notConfirmed, unavailable } from '@sluice/shared/errors.ts';
import { createSideBySide } from '@sluice/shared/side-by-side.ts';
import { anywhere, type BatchRecord, BatchTaken, type LinesTurn } from '@sluice/store/entries/batches.ts';
import type { NewEntry } from '@sluice/store/entries/entries.ts';
import { lineHash } from '@sluice/store/entries/once.ts';
import { storeFault } from '@sluice/store/faults.ts';
import type { CachedApplication } from '../../known/applications.ts';
import {
  type BatchDependencies,
  type NumberedBatch,
  refuseDeleted,
  refuseOther,
  type StoredBatch,
} from './batch.ts';
import { createRefusedLines } from './refused-lines.ts';
import type { BatchChunk } from './validate-lines.ts';

interface StoredLines extends StoredBatch {
  refused: ReturnType<typeof createRefusedLines>;
  /** A retry stores the rest. */
  isInPart: boolean;
  /** Each line is stored, or refused for its content. */
  isDecided: boolean;
}

const chunksInFlight = 2;

/** Stores the lines of a batch, each for itself: a refused line fails alone. Throws ApiError. */
export function createStoreEach({
  cache,
  commit,
  recordFields,
  batches,
  entries,
  validateLines,
  refusalRecorder,
  metrics,
}: BatchDependencies) {
  /** Stores the lines that are not stored yet, each for itself. */
  async function storeLines(
    application: CachedApplication,
    batch: NumberedBatch,
    { stored, isRetry, placeOf, begin }: LinesTurn,
    record?: BatchRecord,
  ): Promise<StoredLines> {
    const errors: LineFailure[] = [];
    /** Whether a retry finds the stored lines, by the batch's key or by unique values. */
    const isSafe = Boolean(record || application.unique);
    let accepted = stored.size;
    let repeated = 0;
    let isFurther = false;
    if (accepted > 0) metrics?.repeated(accepted);
    /** Whether the outcome of some lines is unknown. */
    let isOpen = false;
    let fault: unknown;

    async function store(chunk: BatchChunk): Promise<void> {
      try {
        const outcomes = await commit.add(chunk.entries, chunk.bytes, 'batches', application.owner);
        for (const [i, outcome] of outcomes.entries()) {
          const fate = fateOf(outcome, application.unique);
          isOpen ||= fate.kind === 'unknown';
          if ('refusal' in fate) {
            const failure = { line: chunk.lines[i] as number, ...fate };
            errors.push(failure);
            if (fate.kind === 'duplicate') refused.onRefused(failure, (chunk.entries[i] as NewEntry).json);
          } else {
            accepted += 1;
            if (application.unique && fate.kind === 'repeated') repeated += 1;
            isFurther ||= fate.kind === 'stored';
            metrics?.[fate.kind]();
          }
        }
      } catch (error) {
        remember(error);
        isOpen ||= storeFault(error) === 'unknown';
        const fate = isNotBegun(error) ? notBegun : unknown;
        for (const line of chunk.lines) errors.push({ line, ...fate });
      }
    }

    /** A line has a place, or a key of its own, or both in a retry. */
    function placed(chunk: BatchChunk): BatchChunk {
      for (const [at, entry] of chunk.entries.entries()) {
        const line = chunk.lines[at] as number;
        entry.by = batch.by;
        entry.place = placeOf?.(line);
        if (record && (isRetry || !entry.place))
          entry.once = [...(entry.once ?? []), lineHash(record.idempotencyHash, line)];
      }
      return chunk;
    }

    const remember = (error: unknown) => {
      fault ??= error;
    };

    const refused = createRefusedLines(entries, refusalRecorder, batch, { record, isRetry });
    // Of lines with one unique value the first is to be stored.
    const storing = createSideBySide(application.unique ? 1 : chunksInFlight);
    try {
      const others = batch.lines.filter(({ line }) => !stored.has(line));
      for await (const chunk of validateLines(application, others, errors, refused)) {
        // A batch that is refused as a whole must leave its key free, so this comes first with a chunk.
        await begin();
        if (!fault) await refuseDeleted(cache, application).catch(remember);
        // Chunks must be stored in order, so each waits here for its fields.
        if (!fault) await recordFields.record(application, chunk.fields.pointers)?.catch(remember);
        if (fault) errors.push(...chunk.lines.map((line) => ({ line, ...notBegun })));
        else await storing.add(() => store(placed(chunk)));
      }
    } finally {
      // No answer while a chunk is on its way.
      await storing.finish();
    }
    if (isGone(fault)) throw fault;
    // One error says all if no line is stored, or if a retry stores the rest.
    if (fault && (accepted === 0 || isSafe)) {
      if (isOpen) throw unavailable(notConfirmed, 2, fault);
      throw accepted === 0 ? fault : unavailable(inPart(record), 2, fault);
    }
    const isOpenLine = ({ kind }: LineFailure) => kind === 'busy' || kind === 'unknown';
    const isDecided = !refused.areSomeUnjudged() && !errors.some(isOpenLine);
    // A retry may store the rest. Lines that had no time, or that MongoDB refuses, need progress, or it never ends.
    const isInPart = refused.areSomeUnjudged() || (isFurther && errors.some(isOpenLine));
    if (isSafe && accepted > 0 && isOpen) throw unavailable(notConfirmed);
    // Not thrown here: the horizon need not wait, as each outcome is known.
    return { accepted, repeated, errors, refused, isInPart: isSafe && accepted > 0 && isInPart, isDecided };
  }

  async function storeInTurn(
    application: CachedApplication,
    batch: NumberedBatch,
    record?: BatchRecord,
  ): Promise<StoredLines> {
    if (!record) return storeLines(application, batch, anywhere(false));
    const found = await batches.lookUp(record);
    refuseOther(found.known);
    const lastLine = batch.lines.at(-1)?.line ?? 0;
    const store = (turn: LinesTurn) => storeLines(application, batch, turn, record);
    if (found.known !== 'first') return batches.again(found, lastLine, store);
    return batches.first(record, lastLine, store).catch((error) => {
      if (error instanceof BatchTaken) return storeInTurn(application, batch, record);
      throw error;
    });
  }

  return async function storeEach(
    application: CachedApplication,
    batch: NumberedBatch,
    record?: BatchRecord,
  ): Promise<StoredBatch> {
    const { accepted, repeated, errors, refused, isInPart, isDecided } = await storeInTurn(
      application,
      batch,
      record,
    );
    if (isInPart) throw unavailable(inPart(record));
    // Without the note, the sender is told to send the batch again, which is safe.
    const noting = record && isDecided ? batches.settle(record).catch(() => {}) : undefined;
    // Here the batch is decided, so only its sender waits for the details.
    const before = await refused.keep(application, errors);
    await noting;
    if (before.size > 0) metrics?.repeated(before.size);
    const isUnique = Boolean(application.unique);
    return {
      accepted: accepted + before.size,
      repeated: repeated + (isUnique ? before.size : 0),
      errors,
    };
  };
}

const inPart = (record: BatchRecord | undefined) =>
  `the batch was stored in part; a retry${record ? ' with the same Idempotency-Key' : ''} stores the rest`;

const isGone = (error: unknown) => error instanceof ApiError && error.name === 'ResourceNotFoundError';

/** An ApiError is thrown before a command is sent. */
const isNotBegun = (error: unknown) => error instanceof ApiError || storeFault(error) === 'away';

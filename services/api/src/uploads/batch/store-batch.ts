import { createHash } from 'node:crypto';
import type { Intake, RecordFields } from '@sluice/intake/intake.ts';
import type { FailedLine, LineFailure } from '@sluice/intake/line.ts';
import { fateOf, noneStored, notBegun, toLineError, unknown } from '@sluice/intake/line-errors.ts';
import type { RefusalRecorder } from '@sluice/intake/refused/recorder.ts';
import type { RefusedUpload } from '@sluice/intake/refused/refused-upload.ts';
import { ApiError, applicationNotFound, notConfirmed, unavailable } from '@sluice/shared/errors.ts';
import { createSideBySide } from '@sluice/shared/side-by-side.ts';
import type { SenderStore } from '@sluice/store/applications/senders.ts';
import {
  anywhere,
  type BatchRecord,
  type BatchStore,
  BatchTaken,
  type KnownKey,
  LinesTaken,
  type LinesTurn,
} from '@sluice/store/entries/batches.ts';
import type { EntryStore, NewEntry } from '@sluice/store/entries/entries.ts';
import { hashIdempotencyKey, lineHash } from '@sluice/store/entries/once.ts';
import { storeFault } from '@sluice/store/faults.ts';
import type { ApplicationCache, CachedApplication } from '../../known/applications.ts';
import type { Sent } from '../../known/keyring.ts';
import type { Quotas } from '../../limits/quota.ts';
import type { BatchResult } from '../contract.ts';
import type { GroupCommit } from '../group-commit.ts';
import { senderOf } from '../steps.ts';
import type { UploadMetrics } from '../upload-metrics.ts';
import type { Line } from './lines.ts';
import { createRefusedLines } from './refused-lines.ts';
import type { BatchChunk, createValidateLines } from './validate-lines.ts';

interface Dependencies {
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
type NumberedBatch = Batch & { by: number };

interface Stored {
  accepted: number;
  /** How many of the accepted lines were stored before with the same unique value. */
  repeated: number;
  errors: LineFailure[];
}

interface StoredLines extends Stored {
  refused: ReturnType<typeof createRefusedLines>;
  /** A retry stores the rest. */
  isInPart: boolean;
  /** Each line is stored, or refused for its content. */
  isDecided: boolean;
}

const chunksInFlight = 2;

/** Stores the lines of a batch. A refused line fails alone, unless the batch is atomic. Throws ApiError. */
export function createStoreBatch({
  cache,
  commit,
  recordFields,
  senders,
  batches,
  entries,
  validateLines,
  checkUpload,
  refusalRecorder,
  metrics,
}: Dependencies) {
  /** Validation can take long: nothing may be stored after the purge of the application. */
  async function refuseDeleted({ domain }: Intake): Promise<void> {
    if (!(await cache.get(domain))) throw applicationNotFound(domain);
  }

  /** Stores the lines that are not stored yet, each for itself. */
  async function storeLines(
    application: CachedApplication,
    batch: NumberedBatch,
    { stored, isRetry, placeOf, begin }: LinesTurn,
    record?: BatchRecord,
  ): Promise<StoredLines> {
    const errors: LineFailure[] = [];
    /** A retry finds what is stored, by the key of the batch or by the values of its lines. */
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
        if (!fault) await refuseDeleted(application).catch(remember);
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

  async function storeEach(
    application: CachedApplication,
    batch: NumberedBatch,
    record?: BatchRecord,
  ): Promise<Stored> {
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

  /** Stores all lines or none. The first pass finds errors, the second stores. */
  async function storeAll(
    application: CachedApplication,
    batch: NumberedBatch,
    record?: BatchRecord,
  ): Promise<Stored> {
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
        await refuseDeleted(application);
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

const inPart = (record: BatchRecord | undefined) =>
  `the batch was stored in part; a retry${record ? ' with the same Idempotency-Key' : ''} stores the rest`;

const isGone = (error: unknown) => error instanceof ApiError && error.name === 'ResourceNotFoundError';

/** An ApiError is thrown before a command is sent. */
const isNotBegun = (error: unknown) => error instanceof ApiError || storeFault(error) === 'away';

function toRecord(application: string, { key, atomic, body, by }: NumberedBatch): BatchRecord | undefined {
  if (key === undefined) return undefined;
  const hash = createHash('sha256')
    .update(atomic ? 'all\0' : 'each\0')
    .update(body)
    .digest();
  return { idempotencyHash: hashIdempotencyKey('batch', application, key), application, hash, by };
}

function refuseOther(known: KnownKey): void {
  if (known === 'other') {
    throw new ApiError(
      'ResourceConflictError',
      'this Idempotency-Key was used for another batch, or with another ?atomic; nothing was stored',
    );
  }
}

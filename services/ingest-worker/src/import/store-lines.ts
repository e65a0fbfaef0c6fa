import { addFields, type FoundFields, noFields } from '@sluice/intake/field-set.ts';
import type { Intake, RecordFields } from '@sluice/intake/intake.ts';
import type { AcceptedLine } from '@sluice/intake/line.ts';
import { onceBy } from '@sluice/intake/unique.ts';
import { JobFailed } from '@sluice/jobs/kind.ts';
import type { ClaimedChunk } from '@sluice/jobs/record/chunk-records.ts';
import type { Frame } from '@sluice/json/frames.ts';
import { createSideBySide } from '@sluice/shared/side-by-side.ts';
import type { EntryStore, KeyedEntry } from '@sluice/store/entries/entries.ts';
import { spentHash } from '@sluice/store/entries/once.ts';
import { UnconfirmedError } from '@sluice/store/faults.ts';
import { lineKeysOf } from './line-keys.ts';

/** The limits of one command, and the number of concurrent commands. */
const mostEntries = 2_000;
const mostBytes = 1024 ** 2;
const atOnce = 2;

interface Batch {
  frames: Frame[];
  entries: KeyedEntry[];
  /** Of the entries that bring their times. */
  times: (number | undefined)[];
  /** Fields of the entries that are not recorded yet. */
  fields: FoundFields;
  bytes: number;
  /** The lowest time of a wrapped entry; Infinity: there is none. */
  since: number;
}

interface Dependencies {
  entries: Pick<EntryStore, 'insertKeyed' | 'hasKeyed'>;
  recordFields: RecordFields;
  chunk: ClaimedChunk;
  /** See `KeyedEntry`. */
  by: number;
  intake: Intake;
  /** Throws if the lease is lost. */
  check(): void;
  /** Called before entries from this time on (ms since the epoch) are stored. Returns the version that announces them. */
  makeRoom(since: number): Promise<number>;
  /** Called for a line that MongoDB refuses. */
  onRefused(frame: Frame): void;
  /** Called for a line with whose unique value another payload is stored. */
  onDuplicate(frame: Frame, json: Buffer): void;
}

/** Stores the entries of a chunk in batches. A line always has the same key, so storing it twice does nothing. */
export function createStoreLines({
  entries,
  recordFields,
  chunk,
  by,
  intake,
  check,
  makeRoom,
  onRefused,
  onDuplicate,
}: Dependencies) {
  const { keyOf, earlier: earlierKeys } = lineKeysOf(chunk);
  // Of lines with one unique value the first is to be stored.
  const storing = createSideBySide(intake.unique ? 1 : atOnce);
  let batch = emptyBatch();
  let accepted = 0;
  let repeated = 0;
  /** `makeRoom` was called for this time. */
  let since = Number.POSITIVE_INFINITY;
  let announced = 0;

  /** Removes the lines that were stored before the import failed. They count as accepted. */
  async function toStore({
    frames,
    entries: keyed,
    times,
  }: Batch): Promise<Pick<Batch, 'frames' | 'entries'>> {
    const isStored = keyed.map(() => false);
    for (const earlierKeyOf of earlierKeys) {
      const keyAt = (at: number) => earlierKeyOf((frames[at] as Frame).line, times[at]);
      const before = keyed.map(({ json }, at) => ({ json, key: keyAt(at) }));
      for (const [at, has] of (await entries.hasKeyed(before)).entries()) isStored[at] ||= has;
    }
    accepted += isStored.filter(Boolean).length;
    const isNew = (_: unknown, at: number) => !isStored[at];
    return { frames: frames.filter(isNew), entries: keyed.filter(isNew) };
  }

  async function insert(batch: Batch): Promise<void> {
    const hasOwnTimes = batch.since !== Number.POSITIVE_INFINITY;
    const { frames, entries: keyed } = earlierKeys.length === 0 ? batch : await toStore(batch);
    if (keyed.length === 0) return;
    if (batch.since < since) {
      announced = await makeRoom(batch.since);
      since = Math.min(since, batch.since);
    }
    check();
    const isPlain = !hasOwnTimes && !intake.unique;
    const sent = isPlain ? keyed : keyed.map((entry) => ({ ...entry, ...(hasOwnTimes && { announced }) }));
    const outcomes = await entries.insertKeyed(sent);
    for (const [at, outcome] of outcomes.entries()) {
      const frame = frames[at] as Frame;
      const { key, json } = keyed[at] as KeyedEntry;
      if (outcome === 'duplicate') {
        onDuplicate(frame, json);
        continue;
      }
      // A worker that died may have stored the line itself.
      if (outcome === 'repeated' && sent[at]?.key.toString('hex') !== key.toString('hex')) repeated += 1;
      if (outcome === 'conflicting')
        throw new JobFailed(`line ${frame.line} would take the place of another entry`);
      if (outcome === 'unconfirmed') throw new UnconfirmedError(`line ${frame.line} was not confirmed`);
      if (outcome === 'refused') onRefused(frame);
      else accepted += 1;
    }
  }

  async function flush(): Promise<void> {
    if (batch.entries.length === 0) return;
    const full = batch;
    batch = emptyBatch();
    // Fields are recorded before the entries, in the order of the lines.
    await recordFields.record(intake, full.fields.pointers);
    await storing.add(() => insert(full));
  }

  return {
    /** Undefined: there is nothing to wait for. */
    add(frame: Frame, { json, bson, fields, createdAt, value }: AcceptedLine): Promise<void> | undefined {
      addFields(batch.fields, fields);
      batch.frames.push(frame);
      const key = keyOf(frame.line, createdAt);
      const once = value && onceBy(intake, value);
      const { valueSince = 0 } = once ?? {};
      const isTooOld = value && createdAt !== undefined && createdAt < valueSince;
      const ofValue = isTooOld ? { once: [spentHash(value, key.buffer)] } : once;
      batch.entries.push({ key, json, bson, version: intake.version, by, ...ofValue });
      batch.times.push(createdAt);
      batch.since = Math.min(batch.since, createdAt ?? Number.POSITIVE_INFINITY);
      batch.bytes += bson.length;
      return batch.entries.length === mostEntries || batch.bytes >= mostBytes ? flush() : undefined;
    },

    /** Resolves with the number of stored entries when all are durable; `repeated` of them were stored before with the same unique value. */
    async finish(): Promise<{ accepted: number; repeated: number }> {
      await flush();
      await storing.finish();
      return { accepted, repeated };
    },

    /** Resolves when all commands have ended. */
    settled: storing.settled,
  };
}

const emptyBatch = (): Batch => ({
  frames: [],
  entries: [],
  times: [],
  fields: noFields(),
  bytes: 0,
  since: Number.POSITIVE_INFINITY,
});

import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';
import { addFields, type FoundFields, noFields } from '@sluice/intake/field-set.ts';
import type { Intake } from '@sluice/intake/intake.ts';
import { type Fate, type Refusal, type RefusedLine, refuse } from '@sluice/intake/line.ts';
import { defect, ofLine, overLimit } from '@sluice/intake/line-errors.ts';
import type { UploadValidator } from '@sluice/intake/upload-validator.ts';
import { isBusy, type LineError } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { NewEntry } from '@sluice/store/entries/entries.ts';
import type { Line } from './lines.ts';

/** What one command stores: many entries share its cost, and other uploads do not wait long. */
const chunkEntries = 500;
const chunkBytes = 1024 ** 2;
/** After this time other requests go first. After a line above `longMs`, they get as much time as the line took. */
const sliceMs = 2;
const longMs = 10;
/** For all lines: each may wait for the validator's thread, and many lines could wait for hours. */
const usualMostMs = 120_000;
/** The first refused lines get all their errors; the others get one each. */
const explained = 100;

export interface Chunk {
  lines: number[];
  entries: NewEntry[];
  /** Fields of these entries that are not recorded yet. */
  fields: FoundFields;
  bytes: number;
}

/** Called for each line that was refused for its content. */
type OnRefused = (line: number, refusal: Refusal, bytes: Buffer) => void;

/** Reads and validates lines. Yields the valid lines in chunks; adds the others to `errors`. */
export function createValidateLines(
  lineLimit: number,
  uploadValidator: Pick<UploadValidator, 'validate'>,
  log: Pick<Logger, 'error'>,
  mostMs = usualMostMs,
) {
  return async function* validateLines(
    application: Intake,
    lines: Line[],
    errors: LineError[],
    { onRefused }: { onRefused?: OnRefused } = {},
  ): AsyncGenerator<Chunk> {
    let chunk = emptyChunk();
    let began = performance.now();
    const end = began + mostMs;
    for (const { line, bytes } of lines) {
      const used = performance.now() - began;
      if (used > sliceMs) {
        await (used > longMs ? pause(used) : breathe());
        began = performance.now();
      }
      if (bytes.length > lineLimit) {
        errors.push({ line, name: 'PayloadTooLargeError', message: overLimit(lineLimit) });
        continue;
      }
      if (began > end) {
        errors.push({ line, name: 'ServiceUnavailableError', message: tooLong(mostMs) });
        continue;
      }
      let fate = validateLine(application, bytes);
      if (fate instanceof Promise) {
        fate = await fate;
        // Other requests have run meanwhile.
        began = performance.now();
      }
      if (fate.kind === 'refused') {
        const isExplained = errors.length < explained;
        const refusal = isExplained ? await explanationOf(fate) : fate.refusal;
        const shown = ofLine(refusal, isExplained);
        errors.push({ line, ...shown });
        onRefused?.(line, shown, bytes);
        continue;
      }
      const { json, bson } = fate;
      const { length } = bson;
      if (chunk.entries.length === chunkEntries || (chunk.bytes > 0 && chunk.bytes + length > chunkBytes)) {
        yield chunk;
        chunk = emptyChunk();
      }
      addFields(chunk.fields, fate.fields);
      chunk.lines.push(line);
      const { id, version } = application;
      chunk.entries.push({
        application: id,
        json,
        bson,
        version,
      });
      chunk.bytes += length;
    }
    if (chunk.entries.length > 0) yield chunk;
  };

  /** Any failure of a line becomes its refusal: the others continue. */
  function validateLine(application: Intake, bytes: Buffer): Fate | Promise<Fate> {
    try {
      const fate = uploadValidator.validate(application, bytes);
      return fate instanceof Promise ? fate.catch((error) => toRefusal(error, application)) : fate;
    } catch (error) {
      return toRefusal(error, application);
    }
  }

  function toRefusal(error: unknown, { id }: Intake): Fate {
    const refusal: Refusal = isBusy(error) ? { name: error.name, message: error.message } : defect;
    if (refusal === defect) log.error({ event: 'line.defect', application: id, err: error });
    return refuse(refusal);
  }
}

/** All errors of a line, or the first one if the server is busy. */
const explanationOf = ({ explain, refusal }: RefusedLine): Promise<Refusal> =>
  explain().catch((error) => {
    if (isBusy(error)) return refusal;
    throw error;
  });

const tooLong = (ms: number) =>
  `the batch took longer than ${ms / 1_000} s; this line was not stored, send fewer at once`;

const emptyChunk = (): Chunk => ({ lines: [], entries: [], fields: noFields(), bytes: 0 });

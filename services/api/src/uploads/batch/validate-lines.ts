import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';
import { addFields, type FoundFields, noFields } from '@sluice/intake/field-set.ts';
import type { Intake } from '@sluice/intake/intake.ts';
import { defect, ofLine, overLimit } from '@sluice/intake/line-errors.ts';
import type { UploadValidator, Validated } from '@sluice/intake/upload-validator.ts';
import type { LineRefusal } from '@sluice/intake/validate-payload.ts';
import { isBusy, type LineError } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { NewEntry } from '@sluice/store/entries/entries.ts';
import { lineHash } from '../idempotency.ts';
import type { Line } from './lines.ts';

/** What is stored by one command: enough to share its price, little enough to keep the next ones near. */
const chunkEntries = 500;
const chunkBytes = 1024 ** 2;
/** After so long other requests go first; after a line that took much longer, as much time as it took. */
const sliceMs = 2;
const longMs = 10;
/** In all. A line may have to wait for the validator's thread; so many of them must not wait for hours. */
const usualMostMs = 120_000;
/** Of so many refused lines all that is wrong is told, as far as it is not endless; of the rest what was found first. */
const explained = 100;

type Refused = Extract<Validated, { ok: false }>;

export interface Chunk {
  lines: number[];
  entries: NewEntry[];
  /** Of them, those that were not on record. */
  fields: FoundFields;
  bytes: number;
}

/** Hears of each line that was refused for what is in it. */
type OnRefused = (line: number, refusal: LineRefusal, bytes: Buffer) => void;

/** Reads and validates lines: the valid ones come in chunks, the refused ones go to `errors`. */
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
    { idempotencyHash, onRefused }: { idempotencyHash?: Buffer | undefined; onRefused?: OnRefused } = {},
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
      let validated = validateLine(application, bytes);
      if (validated instanceof Promise) {
        validated = await validated;
        // Others went first.
        began = performance.now();
      }
      if (!validated.ok) {
        const isExplained = errors.length < explained;
        const refusal = isExplained ? await explanationOf(validated) : validated.refusal;
        const shown = ofLine(refusal, isExplained);
        errors.push({ line, ...shown });
        onRefused?.(line, shown, bytes);
        continue;
      }
      const { json, bson } = validated;
      const { length } = bson ?? bytes;
      if (chunk.entries.length === chunkEntries || (chunk.bytes > 0 && chunk.bytes + length > chunkBytes)) {
        yield chunk;
        chunk = emptyChunk();
      }
      addFields(chunk.fields, validated.fields);
      chunk.lines.push(line);
      const { id, version } = application;
      chunk.entries.push({
        application: id,
        json,
        bson,
        idempotencyHash: idempotencyHash && lineHash(idempotencyHash, line),
        version,
      });
      chunk.bytes += length;
    }
    if (chunk.entries.length > 0) yield chunk;
  };

  /** Whatever goes wrong with a line, the others go on. */
  function validateLine(application: Intake, bytes: Buffer): Validated | Promise<Validated> {
    try {
      const validated = uploadValidator.validate(application, bytes);
      return validated instanceof Promise
        ? validated.catch((error) => toRefusal(error, application))
        : validated;
    } catch (error) {
      return toRefusal(error, application);
    }
  }

  function toRefusal(error: unknown, { id }: Intake): Validated {
    const refusal: LineRefusal = isBusy(error) ? { name: error.name, message: error.message } : defect;
    if (refusal === defect) log.error({ event: 'line.defect', application: id, err: error });
    return { ok: false, refusal, explain: async () => refusal };
  }
}

/** All that is wrong; what was found first where too many wait. */
const explanationOf = ({ explain, refusal }: Refused): Promise<LineRefusal> =>
  explain().catch((error) => {
    if (isBusy(error)) return refusal;
    throw error;
  });

const tooLong = (ms: number) =>
  `the batch took longer than ${ms / 1_000} s; this line was not stored, send fewer at once`;

const emptyChunk = (): Chunk => ({ lines: [], entries: [], fields: noFields(), bytes: 0 });

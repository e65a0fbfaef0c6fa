import { addFields, type FoundFields, noFields } from '@sluice/intake/field-set.ts';
import type { Intake } from '@sluice/intake/intake.ts';
import { type FailedLine, type Judged, type LineFailure, type Refusal, refuse } from '@sluice/intake/line.ts';
import { defect, overLimit, toLineRefusal, tooLarge } from '@sluice/intake/line-errors.ts';
import { onceBy } from '@sluice/intake/unique.ts';
import type { UploadValidator } from '@sluice/intake/upload-validator.ts';
import { isBusy } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { NewEntry } from '@sluice/store/entries/entries.ts';
import { createSlices } from '../../http/slices.ts';
import type { Line } from './lines.ts';

/** What one command stores: many entries share its cost, and other uploads do not wait long. */
const chunkEntries = 500;
const chunkBytes = 1024 ** 2;
/** For all lines: each may wait for the validator's thread, and many lines could wait for hours. */
const usualMostMs = 120_000;
/** The first refused lines get all their errors; the others get one each. */
const explained = 100;

type OneLine = Judged | FailedLine;

export interface BatchChunk {
  lines: number[];
  entries: NewEntry[];
  /** Fields of these entries that are not recorded yet. */
  fields: FoundFields;
  bytes: number;
}

/** Called for each line that was refused for its content or its length, or for which the validator was too busy. */
type OnRefused = (failure: LineFailure, bytes: Buffer) => void;

/** Reads and validates lines. Yields the valid lines in chunks; adds the others to `errors`, which `explainLines` gives their details. */
export function createValidateLines(
  lineLimit: number,
  uploadValidator: Pick<UploadValidator, 'validate'>,
  log: Pick<Logger, 'error'>,
  mostMs = usualMostMs,
) {
  return async function* validateLines(
    application: Intake,
    lines: Line[],
    errors: LineFailure[],
    { onRefused }: { onRefused?: OnRefused } = {},
  ): AsyncGenerator<BatchChunk> {
    let chunk = emptyChunk();
    const slices = createSlices();
    const end = performance.now() + mostMs;
    for (const { line, bytes } of lines) {
      const rest = slices.rest();
      if (rest) await rest;
      if (bytes.length > lineLimit) {
        const failure: LineFailure = { line, kind: 'refused', refusal: tooLarge(overLimit(lineLimit)) };
        errors.push(failure);
        onRefused?.(failure, bytes);
        continue;
      }
      if (performance.now() > end) {
        errors.push({ line, kind: 'busy', refusal: tooLong(mostMs) });
        continue;
      }
      let fate = validateLine(application, bytes);
      if (fate instanceof Promise) {
        fate = await fate;
        slices.restart();
      }
      if (fate.kind !== 'accepted') {
        const { kind, refusal } = fate;
        const { explain = undefined, value = undefined } = fate.kind === 'refused' ? fate : {};
        const failure = { line, kind, refusal, explain, value };
        errors.push(failure);
        onRefused?.(failure, bytes);
        continue;
      }
      const { json, bson, value } = fate;
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
        ...(value && onceBy(application, value)),
      });
      chunk.bytes += length;
    }
    if (chunk.entries.length > 0) yield chunk;
  };

  /** Any failure of a line becomes its own: the others continue. */
  function validateLine(application: Intake, bytes: Buffer): OneLine | Promise<OneLine> {
    try {
      const fate = uploadValidator.validate(application, bytes);
      return fate instanceof Promise ? fate.catch((error) => toFailure(error, application)) : fate;
    } catch (error) {
      return toFailure(error, application);
    }
  }

  function toFailure(error: unknown, { id }: Intake): OneLine {
    if (isBusy(error)) return { kind: 'busy', refusal: { name: error.name, message: error.message } };
    log.error({ event: 'line.defect', application: id, err: error });
    return refuse(defect);
  }
}

/** Finds the details of refused lines. It can take seconds, so nobody may wait for the batch meanwhile. */
export async function explainLines(failures: LineFailure[]): Promise<void> {
  const explain = async (failure: LineFailure, at: number) => {
    if (failure.explain) failure.refusal = toLineRefusal(await failure.explain(), at < explained);
  };
  await Promise.all(failures.map(explain));
}

const tooLong = (ms: number): Refusal => ({
  name: 'ServiceUnavailableError',
  message: `the batch took longer than ${ms / 1_000} s; this line was not stored, send fewer at once`,
});

const emptyChunk = (): BatchChunk => ({ lines: [], entries: [], fields: noFields(), bytes: 0 });

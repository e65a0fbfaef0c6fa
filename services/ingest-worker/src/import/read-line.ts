import { isUtf8 } from 'node:buffer';
import type { Intake } from '@sluice/intake/intake.ts';
import { overLimit, tooLarge, tooLargeToStore } from '@sluice/intake/line-errors.ts';
import {
  type LineRefusal,
  type PayloadCheck,
  type Refusal,
  validatePayload,
} from '@sluice/intake/validate-payload.ts';
import type { ImportOptions } from '@sluice/jobs/record/chunked-records.ts';
import type { Frame } from '@sluice/json/frames.ts';
import { fitsInDocument } from '@sluice/store/entries/write-documents.ts';
import { readRecord } from '@sluice/tables/csv/record.ts';
import { createRowJson, RowProblem } from '@sluice/tables/csv/row.ts';
import { unwrap } from './unwrap.ts';

/** What becomes of a line. `source`: what the report shows of it, as `json` where it is JSON. */
export type ReadLine =
  | ({ ok: true } & ReadPayload)
  | { ok: false; refusal: LineRefusal; explain(): Promise<LineRefusal>; source: Source };

export interface ReadPayload {
  payload: Record<string, unknown>;
  json: Buffer;
  /** Of a wrapped entry, in ms since the epoch. */
  createdAt?: number;
}

export interface Source {
  bytes: Buffer;
  as: 'json' | 'text';
}

/** How lines of an import are read, by the rules for uploads. `madeAt`: no wrapped entry may be later than its import. */
export function createReadLine(
  intake: Intake,
  schema: Record<string, unknown>,
  { format, columns, delimiter, formulas, lineLimit, isWrapped }: ImportOptions,
  madeAt: Date,
): (frame: Frame) => ReadLine {
  const toText =
    format === 'csv' ? createRowText(schema, { columns, delimiter, formulas }) : withoutLaterMark;

  function readPayload(text: Buffer): ReadLine {
    const source: Source = { bytes: text, as: 'json' };
    const validated: PayloadCheck = validatePayload(intake, text);
    if (!validated.ok) return { ...validated, source };
    return fitsInDocument(validated.payload, text.length)
      ? validated
      : refuse(tooLarge(tooLargeToStore), source);
  }

  return ({ bytes, isCut }) => {
    if (isCut) return refuse(tooLarge(overLimit(lineLimit)), { bytes, as: 'text' });
    const text = toText(bytes);
    if (!Buffer.isBuffer(text)) return refuse(text, { bytes, as: 'text' });
    if (!isWrapped) return readPayload(text);
    const entry = unwrap(text, madeAt.getTime());
    // As text: what is around a payload is none, also for who stores what was refused.
    if (!entry.ok) return refuse(entry.refusal, { bytes: text, as: 'text' });
    const read = readPayload(entry.payload);
    return read.ok ? { ...read, createdAt: entry.createdAt } : read;
  };
}

function refuse(refusal: LineRefusal, source: Source): ReadLine {
  return { ok: false, refusal, explain: async () => refusal, source };
}

/** A byte order mark before a line makes it no JSON; that of the file is gone already. */
function withoutLaterMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf
    ? Buffer.concat([Buffer.from(' '), line])
    : line;
}

/** A record of CSV as JSON, or what is wrong with it. */
function createRowText(
  schema: Record<string, unknown>,
  { columns = [], delimiter, formulas }: Pick<ImportOptions, 'columns' | 'delimiter' | 'formulas'>,
) {
  const toJson = createRowJson(schema, columns, formulas);
  const malformed = (message: string): Refusal => ({ name: 'MalformedBodyError', message });
  return (line: Buffer): Buffer | Refusal => {
    if (!isUtf8(line)) return malformed('the record is not valid UTF-8');
    const record = readRecord(line.toString(), delimiter);
    if (!record.ok) return malformed(record.message);
    const { cells, quoted } = record;
    if (cells.length !== columns.length)
      return malformed(`the record has ${cells.length} cells, the header has ${columns.length}`);
    try {
      return Buffer.from(toJson(cells, quoted));
    } catch (error) {
      if (error instanceof RowProblem) return malformed(error.message);
      throw error;
    }
  };
}

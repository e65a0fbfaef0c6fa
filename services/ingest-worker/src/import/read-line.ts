import { isUtf8 } from 'node:buffer';
import { fitsInDocument } from '@sluice/bson/write-entries.ts';
import type { Intake } from '@sluice/intake/intake.ts';
import { overLimit, tooLarge, tooLargeToStore } from '@sluice/intake/line-errors.ts';
import {
  type LineRefusal,
  type PayloadCheck,
  type Refusal,
  validatePayload,
} from '@sluice/intake/validate-payload.ts';
import type { ImportOptions } from '@sluice/jobs/record/job-records.ts';
import { withoutByteOrderMark } from '@sluice/json/byte-order-mark.ts';
import { explainBytes } from '@sluice/json/explain-bytes.ts';
import { explainSyntax } from '@sluice/json/explain-syntax.ts';
import { repeatedKey } from '@sluice/json/find-issues.ts';
import type { Frame } from '@sluice/json/frames.ts';
import { membersOf } from '@sluice/json/member-text.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import type { ErrorDetail } from '@sluice/shared/errors.ts';
import { parseTimestamp } from '@sluice/shared/timestamp.ts';
import { readRecord } from '@sluice/tables/csv/record.ts';
import { createRowJson, RowProblem } from '@sluice/tables/csv/row.ts';

/** The result for a line. `source` is the text for the report. */
export type ReadLine =
  | ({ ok: true } & ReadPayload)
  | { ok: false; refusal: LineRefusal; explain(): Promise<LineRefusal>; source: Source };

export interface ReadPayload {
  payload: Record<string, unknown>;
  json: Buffer;
  bson: Buffer;
  /** Time of a wrapped entry, in ms since the epoch. */
  createdAt?: number;
}

export interface Source {
  bytes: Buffer;
  as: 'json' | 'text';
}

/** Reads lines of an import by the rules for uploads. A wrapped entry may not be later than `madeAt`. */
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
    return fitsInDocument(validated.bson) ? validated : refuse(tooLarge(tooLargeToStore), source);
  }

  return ({ bytes, isCut }) => {
    if (isCut) return refuse(tooLarge(overLimit(lineLimit)), { bytes, as: 'text' });
    const text = toText(bytes);
    if (!Buffer.isBuffer(text)) return refuse(text, { bytes, as: 'text' });
    if (!isWrapped) return readPayload(text);
    const entry = unwrap(text, madeAt.getTime());
    // As text, since the line is no payload.
    if (!entry.ok) return refuse(entry.refusal, { bytes: text, as: 'text' });
    const read = readPayload(entry.payload);
    return read.ok ? { ...read, createdAt: entry.createdAt } : read;
  };
}

function refuse(refusal: LineRefusal, source: Source): ReadLine {
  return { ok: false, refusal, explain: async () => refusal, source };
}

/** Keeps a later byte order mark, so that the line is refused: only the file may begin with one. */
function withoutLaterMark(line: Buffer): Buffer {
  return withoutByteOrderMark(line) === line ? line : Buffer.concat([Buffer.from(' '), line]);
}

/** Converts a CSV record to JSON, or explains its fault. */
function createRowText(
  schema: Record<string, unknown>,
  { columns = [], delimiter, formulas }: Pick<ImportOptions, 'columns' | 'delimiter' | 'formulas'>,
) {
  const toJson = createRowJson(schema, columns, formulas);
  const malformed = (message: string): Refusal => ({ name: 'MalformedBodyError', message });
  return (line: Buffer): Buffer | Refusal => {
    if (!isUtf8(line)) return malformed(`the record is ${explainBytes(line)}`);
    const record = readRecord(line.toString(), delimiter);
    if (!record.ok) return malformed(record.message);
    const { cells, quoted } = record;
    if (cells.length !== columns.length)
      return malformed(`the record has ${cells.length} cells, there are ${columns.length} columns`);
    try {
      return Buffer.from(toJson(cells, quoted));
    } catch (error) {
      if (error instanceof RowProblem) return malformed(error.message);
      throw error;
    }
  };
}

/** `createdAt` in ms since the epoch. */
type Unwrapped = { ok: true; createdAt: number; payload: Buffer } | { ok: false; refusal: Refusal };

const form = 'with entries=wrapped each line is {"createdAt":…,"payload":{…}}';

/** Reads a line of an NDJSON export. Does not check the payload. `latest` is in ms since the epoch. */
function unwrap(line: Buffer, latest: number): Unwrapped {
  if (!isUtf8(line)) return malformed(`the line is ${explainBytes(line)}`);
  const text = line.toString();
  const entry = parse(text);
  if (entry instanceof Error) return malformed(`the line is not JSON: ${explainSyntax(text, entry)}`);
  if (!isObject(entry)) return malformed(form);
  const members = new Map<string, string>();
  for (const [name, member] of membersOf(text)) {
    if (members.has(name)) return nonconforming('the line has a key twice', repeatedKey(name));
    members.set(name, member);
  }
  const payload = members.get('payload');
  if (payload === undefined) return malformed(form);
  const createdAt = typeof entry.createdAt === 'string' ? parseTimestamp(entry.createdAt) : Number.NaN;
  const fault = faultOf(createdAt, latest);
  return fault ? ofTime(fault) : { ok: true, createdAt, payload: Buffer.from(payload) };
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    return error as Error;
  }
}

/** Keys cannot hold times before 1970. Lists and exports expect no time in the future. */
function faultOf(createdAt: number, latest: number): string | undefined {
  if (Number.isNaN(createdAt)) return 'must be an ISO 8601 timestamp such as 2026-11-21T04:00:00.000Z';
  if (createdAt < 0) return 'must not be before 1970';
  return createdAt > latest ? 'must not be later than the import' : undefined;
}

const malformed = (message: string): Unwrapped => ({
  ok: false,
  refusal: { name: 'MalformedBodyError', message },
});

const nonconforming = (message: string, detail: ErrorDetail): Unwrapped => ({
  ok: false,
  refusal: { name: 'SchemaValidationError', message, details: [detail] },
});

const ofTime = (message: string): Unwrapped =>
  nonconforming(`createdAt ${message}`, { path: '/createdAt', keyword: 'format', message });

import { isUtf8 } from 'node:buffer';
import type { Intake, RecordFields } from '@sluice/intake/intake.ts';
import { type Judged, type RefusedLine, refuse } from '@sluice/intake/line.ts';
import { overLimit, tooLarge } from '@sluice/intake/line-errors.ts';
import { validatePayload } from '@sluice/intake/validate-payload.ts';
import type { ImportOptions } from '@sluice/jobs/record/job-records.ts';
import { keepMark } from '@sluice/json/byte-order-mark.ts';
import { explainBytes } from '@sluice/json/explain-bytes.ts';
import { findSyntaxFault } from '@sluice/json/explain-syntax.ts';
import { repeatedKey } from '@sluice/json/find-issues.ts';
import type { Frame } from '@sluice/json/frames.ts';
import { membersOf } from '@sluice/json/member-text.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import type { ErrorDetail } from '@sluice/shared/errors.ts';
import { parseTimestamp } from '@sluice/shared/timestamp.ts';
import { createRecordJson } from '@sluice/tables/csv/row.ts';

interface Dependencies {
  intake: Intake;
  recordFields: Pick<RecordFields, 'find'>;
  schema: Record<string, unknown>;
  options: ImportOptions;
  madeAt: Date;
}

/** Reads lines of an import by the rules for uploads. A wrapped entry may not be later than `madeAt`. */
export function createReadLine({
  intake,
  recordFields,
  schema,
  options,
  madeAt,
}: Dependencies): (frame: Frame) => Judged {
  const { format, columns, delimiter, formulas, lineLimit, isWrapped } = options;
  const toText = format === 'csv' ? createRowText(schema, { columns, delimiter, formulas }) : keepMark;

  const judge = (text: Buffer): Judged =>
    validatePayload(intake.judge, text, (payload) => recordFields.find(intake, payload));

  return ({ bytes, isCut }) => {
    if (isCut) return refuse(tooLarge(overLimit(lineLimit)));
    const text = toText(bytes);
    if (!Buffer.isBuffer(text)) return text;
    if (!isWrapped) return judge(text);
    const entry = unwrap(text, madeAt.getTime());
    if (entry.kind === 'refused') return entry;
    const fate = judge(entry.payload);
    if (fate.kind === 'accepted') fate.createdAt = entry.createdAt;
    return fate;
  };
}

/** Converts a CSV record to JSON, or explains its fault. */
function createRowText(
  schema: Record<string, unknown>,
  { columns = [], delimiter, formulas }: Pick<ImportOptions, 'columns' | 'delimiter' | 'formulas'>,
) {
  const toJson = createRecordJson(schema, { columns, delimiter }, formulas);
  return (line: Buffer): Buffer | RefusedLine => {
    if (!isUtf8(line)) return malformed(`the record is ${explainBytes(line)}`);
    const record = toJson(line.toString());
    return 'json' in record ? Buffer.from(record.json) : malformed(record.fault);
  };
}

/** `createdAt` in ms since the epoch. */
type Unwrapped = { kind: 'entry'; createdAt: number; payload: Buffer } | RefusedLine;

const form = 'with entries=wrapped each line is {"createdAt":…,"payload":{…}}';

/** Reads a line of an NDJSON export. Does not check the payload. `latest` is in ms since the epoch. */
function unwrap(line: Buffer, latest: number): Unwrapped {
  if (!isUtf8(line)) return malformed(`the line is ${explainBytes(line)}`);
  const text = line.toString();
  const entry = parse(text);
  if (entry instanceof Error)
    return malformed(`the line is not JSON: ${findSyntaxFault(text, entry).ofLine}`);
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
  return fault ? ofTime(fault) : { kind: 'entry', createdAt, payload: Buffer.from(payload) };
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

const malformed = (message: string) => refuse({ name: 'MalformedBodyError', message });

const nonconforming = (message: string, detail: ErrorDetail) =>
  refuse({ name: 'SchemaValidationError', message, details: [detail] });

const ofTime = (message: string) =>
  nonconforming(`createdAt ${message}`, { path: '/createdAt', keyword: 'format', message });

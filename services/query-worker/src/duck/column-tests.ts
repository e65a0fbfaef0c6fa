import { isJson } from '@sluice/json/parse-json.ts';
import type { MemberColumn } from './columns.ts';
import { dayFrom, isDay } from './days.ts';
import {
  checkJson,
  digitsOf,
  double,
  isText,
  jsonAt,
  type Sign,
  type Text,
  type ValueCheck,
} from './payload-tests.ts';

/** Whether a column meets the check; where it is NULL, it does not. Where it cannot tell, the payload does. */
export function checkColumn(
  { sql, kind }: MemberColumn,
  check: ValueCheck,
  path: string[],
  text: Text,
): string {
  // A parameter of a text that the SQL does not have would be refused.
  const byPayload = () => checkJson(jsonAt(path, text), check, text);
  const isTextThere = () => isText(jsonAt(path, text));
  if ('pattern' in check) {
    if (kind === 'date') return matches(`${sql}::varchar`, check.pattern, text);
    if (kind === 'string') return matches(sql, check.pattern, text);
    if (kind === 'text') return `(${matches(sql, check.pattern, text)} and ${areTexts(sql, isTextThere())})`;
    return kind === 'timestamp' || kind === 'mixed' ? byPayload() : 'false';
  }
  const { sign, value } = check;
  switch (kind) {
    case 'integer':
      if (typeof value === 'string' || typeof value === 'boolean') return 'false';
      return `${sql} ${sign} ${digitsOf(value) ?? (Number.isSafeInteger(value) ? value : double(value))}`;
    case 'number': {
      if (typeof value === 'string' || typeof value === 'boolean') return 'false';
      const compared = `${sql} ${sign} ${double(value)}`;
      if (digitsOf(value) === undefined) return compared;
      return `case when abs(${sql}) < 9007199254740992 then ${compared} else ${byPayload()} end`;
    }
    case 'boolean':
      return typeof value === 'boolean' ? `${sql} = ${value}` : 'false';
    case 'date':
      return typeof value === 'string' ? checkDate(sql, sign, value) : 'false';
    case 'timestamp':
      return typeof value === 'string' ? checkTimestamp(sql, sign, value, byPayload) : 'false';
    case 'string':
      return typeof value === 'string' ? `${sql} ${sign} ${text(value)}` : 'false';
    case 'text':
      if (typeof value === 'number' || typeof value === 'bigint')
        return `case when json_valid(${sql}) then ${byPayload()} else false end`;
      if (typeof value === 'boolean') return `(${sql} = '${value}' and ${byPayload()})`;
      if (sign === '=') return `(${sql} = ${text(value)}${isJson(value) ? ` and ${isTextThere()}` : ''})`;
      return `(${sql} ${sign} ${text(value)} and ${areTexts(sql, isTextThere())})`;
    default:
      return byPayload();
  }
}

const matches = (sql: string, pattern: string, text: Text) => `regexp_matches(${sql}, ${text(pattern)})`;

/** Of a text that is JSON, the column does not say whether it is the value. */
const areTexts = (sql: string, isTextThere: string) =>
  `case when json_valid(${sql}) then ${isTextThere} else true end`;

/** Texts of days sort like the days. */
function checkDate(sql: string, sign: Sign, value: string): string {
  if (sign === '=') return isDay(value) ? `${sql} = '${value}'::date` : 'false';
  const isAbove =
    sign === '>' || sign === '<=' ? (day: string) => day > value : (day: string) => day >= value;
  const first = dayFrom(isAbove);
  const isUp = sign.startsWith('>');
  if (first === undefined) return isUp ? 'false' : `${sql} is not null`;
  return `${sql} ${isUp ? '>=' : '<'} '${first}'::date`;
}

/**
 * The column has the moment, and the text also an offset of less than a day. So a text of at least two days before or after the value
 * is decided by its moment, and others by the payload.
 */
function checkTimestamp(sql: string, sign: Sign, value: string, byPayload: () => string): string {
  const start = value.slice(0, 10);
  if (sign === '=') {
    const moment = momentOf(value);
    if (moment !== undefined)
      return `(${sql} >= '${moment}'::timestamptz and ${sql} < '${moment}'::timestamptz + interval 1 millisecond and ${byPayload()})`;
    if (!isDay(start)) return 'false';
    const day = `'${start}T00:00:00Z'::timestamptz`;
    return `(${sql} >= ${day} - interval 2 day and ${sql} < ${day} + interval 3 day and ${byPayload()})`;
  }
  const isUp = sign.startsWith('>');
  // From the first day that sorts behind the value on, all texts do; those of days before its own day do not.
  const above = dayFrom((day) => day > value);
  const own = dayFrom((day) => day >= start);
  const surely = (day: string | undefined, isAbove: boolean) => {
    if (day === undefined) return isAbove ? 'false' : `${sql} is not null`;
    const moment = `'${day}T00:00:00Z'::timestamptz`;
    return isAbove ? `${sql} >= ${moment} + interval 2 day` : `${sql} < ${moment} - interval 2 day`;
  };
  return `case when ${surely(above, true)} then ${isUp} when ${surely(own, false)} then ${!isUp} else ${byPayload()} end`;
}

/** The millisecond of a text that is a moment as JSON Schema has it. */
function momentOf(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

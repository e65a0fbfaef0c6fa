export type Sign = '=' | '<' | '<=' | '>' | '>=';

/** A comparison with a value that is not null, or a pattern of RE2 that a text has. */
export type ValueCheck = { sign: Sign; value: string | number | bigint | boolean } | { pattern: string };

/** A parameter with this text. */
export type Text = (value: string) => string;

/** A path takes no such key: an asterisk is for all keys. A pointer takes numbers for places in arrays. */
export const isOdd = (key: string): boolean => key === '' || key === '*';

/** The path of DuckDB to a member without odd keys. */
export const jsonPath = (path: string[]): string => `$${path.map((key) => `.${quotedKey(key)}`).join('')}`;

/** The member of the payload as JSON; NULL where it is missing. */
export function jsonAt(path: string[], text: Text): string {
  if (!path.some(isOdd)) return `json_extract(payload, ${text(jsonPath(path))})`;
  return path.reduce(
    (json, key) => `json_extract(${json}, ${text(isOdd(key) ? `/${key}` : `$.${quotedKey(key)}`)})`,
    'payload',
  );
}

const quotedKey = (key: string) => `"${key.replaceAll(/["\\]/g, '\\$&')}"`;

export const isText = (json: string): string => `json_type(${json}) = 'VARCHAR'`;
const textOf = (json: string) => `(${json} ->> '$')`;
const integers = `('UBIGINT', 'BIGINT')`;

/** Whether JSON meets the check; NULL or false where it does not. */
export function checkJson(json: string, check: ValueCheck, text: Text): string {
  if ('pattern' in check)
    return `(${isText(json)} and regexp_matches(${textOf(json)}, ${text(check.pattern)}))`;
  const { sign, value } = check;
  if (typeof value === 'string') return `(${isText(json)} and ${textOf(json)} ${sign} ${text(value)})`;
  if (typeof value === 'boolean') return `(json_type(${json}) = 'BOOLEAN' and ${textOf(json)} = '${value}')`;
  const digits = digitsOf(value);
  const compared = `try_cast(${json} as double) ${sign} ${double(value)}`;
  if (digits === undefined) return `(json_type(${json}) in ('UBIGINT', 'BIGINT', 'DOUBLE') and ${compared})`;
  return `case when json_type(${json}) in ${integers} then try_cast(${textOf(json)} as hugeint) ${sign} ${digits}::hugeint when json_type(${json}) = 'DOUBLE' then ${compared} end`;
}

/** A number in SQL. */
export const double = (value: number | bigint): string => `'${Number(value)}'::double`;

/** From 2^53 on, doubles are not exact. From 1e21 on, JSON has an exponent and no integers. */
const [digitsFrom, digitsTo] = [2 ** 53, 1e21];
const int64End = 2n ** 63n;

/** The digits with which the integers of JSON compare as their values do. Undefined: doubles compare so. */
export function digitsOf(value: number | bigint): string | undefined {
  const size = Math.abs(Number(value));
  if (size < digitsFrom || size >= digitsTo) return undefined;
  const exact = BigInt(value);
  // Entries have smaller integers as int64, and these as doubles.
  return exact >= -int64End && exact < int64End ? String(exact) : String(Number(value));
}

import type { Condition, MemberCondition, Scalar } from '@sluice/store/entries/entry-filter.ts';

/** A condition of SQL. Its parameters are named, such as `$w0`. */
export interface Where {
  sql: string;
  params: Record<string, string>;
}

/** The columns that the files have: names as the view `entries` has them, and types of DuckDB. */
export type Columns = ReadonlyMap<string, string>;

/** SQL that is true for exactly the entries that meet all conditions, as MongoDB judges them. Never NULL. */
export function whereOf(conditions: Condition[], _columns: Columns): Where {
  const params: Where['params'] = {};
  const text = (value: string): string => {
    const name = `w${Object.keys(params).length}`;
    params[name] = value;
    return `$${name}::varchar`;
  };
  const tests = conditions.map((one) => {
    if ('senders' in one) throw new Error('files do not have the numbers of senders');
    return `coalesce(${test(one, text)}, false)`;
  });
  return { sql: tests.length > 0 ? tests.join(' and ') : 'true', params };
}

type Text = (value: string) => string;

function test({ path, operator, value }: MemberCondition, text: Text): string {
  const json = jsonAt(path, text);
  switch (operator) {
    case 'eq':
      return equals(json, value, text);
    case 'ne':
      return `not coalesce(${equals(json, value, text)}, false)`;
    case 'in':
      return `(${value.map((one) => equals(json, one, text)).join(' or ') || 'false'})`;
    case 'exists':
      return `${json} is ${value ? 'not ' : ''}null`;
    case 'contains':
      return `${isText(json)} and regexp_matches(${textOf(json)}, ${text(literally(value))})`;
    default:
      return compare(json, signs[operator], value, text);
  }
}

const signs = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

/** The member of the payload; NULL where it is missing. An empty key or an asterisk has a step of its own. */
function jsonAt(path: string[], text: Text): string {
  return path.reduce((json, key) => {
    const step = key === '' || key === '*' ? `/${key}` : `$."${key.replaceAll(/["\\]/g, '\\$&')}"`;
    return `json_extract(${json}, ${text(step)})`;
  }, 'payload');
}

const isText = (json: string) => `json_type(${json}) = 'VARCHAR'`;
const textOf = (json: string) => `(${json} ->> '$')`;

function equals(json: string, value: Scalar, text: Text): string {
  if (value === null) return `json_type(${json}) = 'NULL'`;
  if (typeof value === 'boolean') return `${json} = '${value}'`;
  return compare(json, '=', value, text);
}

function compare(json: string, sign: string, value: number | bigint | string, text: Text): string {
  if (typeof value === 'string') return `(${isText(json)} and ${textOf(json)} ${sign} ${text(value)})`;
  const isNumber = `json_type(${json}) in ('UBIGINT', 'BIGINT', 'DOUBLE')`;
  return `(${isNumber} and try_cast(${json} as double) ${sign} ${text(String(value))}::double)`;
}

/** Finds a text as it is written, in capital or small letters. */
const literally = (value: string) => `(?i)${value.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&')}`;

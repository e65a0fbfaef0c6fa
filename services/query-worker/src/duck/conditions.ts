import type { MemberCondition, Scalar } from '@sluice/store/entries/entry-filter.ts';
import { checkColumn } from './column-tests.ts';
import type { MemberColumns } from './columns.ts';
import { checkJson, jsonAt, type Text, type ValueCheck } from './payload-tests.ts';

/**
 * A condition as files take it. `pattern`: of RE2, finds what MongoDB finds by `contains`.
 * `key`: the id of the ingest key of the senders.
 */
export type FileCondition = (MemberCondition & { pattern?: string | undefined }) | { key: string };

/** A condition of SQL. Its parameters are named, such as `$w0`. */
export interface Where {
  sql: string;
  params: Record<string, string>;
}

/** More columns take longer than to look into the payload. */
const mostBelow = 20;

/**
 * SQL that is true for exactly the entries that meet all conditions, as MongoDB judges them. A column is used where it decides,
 * and the payload where it does not. Its parameters join `params`.
 */
export function whereOf(
  conditions: FileCondition[],
  columns: MemberColumns,
  params: Where['params'] = {},
): Where {
  const names = new Map(Object.entries(params).map(([name, value]) => [value, name]));
  const text: Text = (value) => {
    const name = names.get(value) ?? `w${names.size}`;
    names.set(value, name);
    params[name] = value;
    return `$${name}::varchar`;
  };
  const tests = conditions.map((one) =>
    'key' in one ? `"key" = ${text(one.key)}` : `(${test(one, columns, text)})`,
  );
  return { sql: tests.join(' and ') || 'true', params };
}

function test(one: Exclude<FileCondition, { key: string }>, columns: MemberColumns, text: Text): string {
  const { path, operator, value } = one;
  const isAny = (values: Scalar[]) =>
    values.map((each) => equals(path, each, columns, text)).join(' or ') || 'false';
  switch (operator) {
    case 'eq':
      return isAny([value]);
    case 'ne':
      return `not coalesce(${isAny([value])}, false)`;
    case 'in':
      return isAny(value);
    case 'exists': {
      const { isThere, json } = presence(path, columns, text);
      const exists = unless(isThere, true, json === undefined ? 'false' : `${json} is not null`);
      return value ? exists : `not (${exists})`;
    }
    case 'contains':
      return check(path, { pattern: one.pattern as string }, columns, text);
    default:
      return check(path, { sign: signs[operator], value }, columns, text);
  }
}

const signs = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

const unless = (when: string, then: boolean, otherwise: string) =>
  when === '' ? otherwise : `case when ${when} then ${then} else ${otherwise} end`;

function equals(path: string[], value: Scalar, columns: MemberColumns, text: Text): string {
  if (value !== null) return check(path, { sign: '=', value }, columns, text);
  const { isThere, json } = presence(path, columns, text);
  return json === undefined ? 'false' : unless(isThere, false, `json_type(${json}) = 'NULL'`);
}

/** `isThere`: SQL that is true where columns show a member that is not null. `json`: where they do not; absent: it is missing. */
function presence(path: string[], columns: MemberColumns, text: Text): { isThere: string; json?: string } {
  const own = columns.of(path);
  const below = columns.below(path);
  if (own === null && below?.length === 0) return { isThere: '' };
  const shown = [...(own ? [own.sql] : []), ...(below && below.length <= mostBelow ? below : [])];
  const hasKey = `contains(payload, ${text(JSON.stringify(path.at(-1)))})`;
  return {
    isThere: shown.map((column) => `${column} is not null`).join(' or '),
    json: `case when ${hasKey} then ${jsonAt(path, text)} end`,
  };
}

function check(path: string[], tested: ValueCheck, columns: MemberColumns, text: Text): string {
  const column = columns.of(path);
  if (column === null) return 'false';
  const byPayload = () => checkJson(jsonAt(path, text), tested, text);
  if (!column) return byPayload();
  const found = checkColumn(column, tested, path, text);
  return column.decides ? found : `case when ${column.sql} is null then ${byPayload()} else ${found} end`;
}

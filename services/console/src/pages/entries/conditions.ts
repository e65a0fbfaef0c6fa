import { parseExact } from '../../json/exact.ts';
import type { Fields, ValueKind } from './fields.ts';

export type Operator =
  | ('eq' | 'ne' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte')
  /** Without a value. */
  | ('exists' | 'missing' | 'isNull');

export interface FormCondition {
  pointer: string;
  operator: Operator;
  /** The value as it was typed: of a time, ISO 8601 in UTC. */
  text: string;
}

const valueless: Operator[] = ['exists', 'missing', 'isNull'];
const ordered: Operator[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'];

/** What a field can be compared by, the likeliest first. */
export const operatorsOf: Record<ValueKind, Operator[]> = {
  text: ['eq', 'ne', 'contains', ...valueless],
  choice: ['eq', 'ne', ...valueless],
  date: ['eq', 'gte', 'lt', ...valueless],
  time: ['gte', 'lt', ...valueless],
  number: [...ordered, ...valueless],
  boolean: ['eq', 'ne', ...valueless],
  nested: valueless,
  any: [...ordered, 'contains', ...valueless],
};

export const hasValue = (operator: Operator): boolean => !valueless.includes(operator);

const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

const toNumber = (text: string) => (/^-?(0|[1-9]\d*)$/.test(text) ? parseExact(text) : Number(text));

/** The place in the words for what is wrong with a value; undefined if nothing is. */
export function faultOf({ operator, text }: FormCondition, kind: ValueKind): 'number' | 'value' | undefined {
  if (!hasValue(operator)) return undefined;
  if (kind === 'number') return isNumber(text) ? undefined : 'number';
  return text === '' && kind !== 'text' ? 'value' : undefined;
}

/** Of a field that the schema does not know, the type is that which the text looks like. */
function toValue(text: string, kind: ValueKind): unknown {
  // As far as all ways to write a time agree.
  if (kind === 'time') return text.slice(0, 'yyyy-mm-ddThh:mm'.length);
  if (kind === 'boolean' || kind === 'any') if (/^(true|false)$/.test(text)) return text === 'true';
  return (kind === 'number' || kind === 'any') && isNumber(text) ? toNumber(text) : text;
}

function toTest({ operator, text }: FormCondition, kind: ValueKind): [operator: string, value: unknown] {
  if (operator === 'exists' || operator === 'missing') return ['exists', operator === 'exists'];
  if (operator === 'isNull') return ['eq', null];
  return [operator, operator === 'contains' ? text : toValue(text, kind)];
}

/** Adds a condition, in place of one on the same field with the same operator: the API takes one of each. */
export function withCondition(conditions: FormCondition[], added: FormCondition): FormCondition[] {
  const nameOf = (one: FormCondition) => `${toTest(one, 'any')[0]} ${one.pointer}`;
  return [...conditions.filter((one) => nameOf(one) !== nameOf(added)), added];
}

/** The filter of the API, as JSON. */
export function toFilter(conditions: FormCondition[], { fieldAt }: Fields): string | undefined {
  if (conditions.length === 0) return undefined;
  const filter: Record<string, Record<string, unknown>> = {};
  for (const condition of conditions) {
    const [operator, value] = toTest(condition, fieldAt(condition.pointer).kind);
    filter[condition.pointer] = { ...filter[condition.pointer], [operator]: value };
  }
  return JSON.stringify(filter);
}

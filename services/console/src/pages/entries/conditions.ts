import { isJson } from '@sluice/json/parse-json.ts';
import { parseExact, toLine } from '../../json/exact.ts';
import { type Fields, toFieldPointer, type ValueKind } from './fields.ts';

export type Operator =
  | ('eq' | 'ne' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte')
  /** One of several values. */
  | 'in'
  /** Without a value. */
  | ('exists' | 'missing' | 'isNull');

export interface FormCondition {
  pointer: string;
  operator: Operator;
  /** The value as it was typed: of a time, ISO 8601 in UTC; of `in`, a JSON array of such texts. */
  text: string;
}

const valueless: Operator[] = ['exists', 'missing', 'isNull'];
const ordered: Operator[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'];

/** What a field can be compared by, the likeliest first. */
export const operatorsOf: Record<ValueKind, Operator[]> = {
  text: ['eq', 'ne', 'in', 'contains', ...valueless],
  choice: ['eq', 'ne', 'in', ...valueless],
  date: ['eq', 'gte', 'lt', ...valueless],
  time: ['gte', 'lt', ...valueless],
  number: [...ordered, 'in', ...valueless],
  boolean: ['eq', 'ne', ...valueless],
  nested: valueless,
  any: [...ordered, 'in', 'contains', ...valueless],
};

export const hasValue = (operator: Operator): boolean => !valueless.includes(operator);

const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

const isQuoted = (text: string) => /^".*"$/s.test(text) && isJson(text);

const toNumber = (text: string) => (/^-?(0|[1-9]\d*)$/.test(text) ? parseExact(text) : Number(text));

/** The texts of `in`; none where the text is not one of `in`. */
export function textsOf({ operator, text }: Pick<FormCondition, 'operator' | 'text'>): string[] {
  if (operator !== 'in') return [text];
  try {
    const found = parseExact(text);
    return Array.isArray(found) && found.every((one) => typeof one === 'string') ? found : [];
  } catch {
    return [];
  }
}

/** Values as people type them: with commas in between, and in quotes where a value has one. */
export const toList = (texts: string[]): string =>
  texts.map((text) => (/^\s|[,"]|\s$|^$/.test(text) ? JSON.stringify(text) : text)).join(', ');

/** The reverse of `toList`. */
export function fromList(list: string): string[] {
  const parts = list.match(/\s*"(?:[^"\\]|\\.)*"\s*(?=,|$)|[^,]+/g) ?? [];
  return parts
    .map((part) => part.trim())
    .map((part) => (isQuoted(part) ? (parseExact(part) as string) : part));
}

/** The place in the words for what is wrong with a value; undefined if nothing is. */
export function faultOf(condition: FormCondition, kind: ValueKind): 'number' | 'value' | undefined {
  if (!hasValue(condition.operator)) return undefined;
  const texts = textsOf(condition);
  if (texts.length === 0) return 'value';
  if (kind === 'number')
    return texts.every((text) => isNumber(text) || isQuoted(text)) ? undefined : 'number';
  return texts.includes('') && kind !== 'text' ? 'value' : undefined;
}

/** Of a field that the schema does not know, the type is that which the text looks like. In quotes, a text is a string. */
function toValue(text: string, kind: ValueKind): unknown {
  // As far as all ways to write a time agree.
  if (kind === 'time') return text.slice(0, 'yyyy-mm-ddThh:mm'.length);
  if (kind === 'boolean' || kind === 'any') if (/^(true|false)$/.test(text)) return text === 'true';
  if (kind !== 'number' && kind !== 'any') return text;
  if (isQuoted(text)) return parseExact(text);
  return isNumber(text) ? toNumber(text) : text;
}

/** The reverse of `toValue`. Undefined where no text means this value. */
export function typedAs(value: unknown, kind: ValueKind): string | undefined {
  if (kind === 'time' || kind === 'nested') return undefined;
  const text = toLine(value);
  const isSame = (one: string) => JSON.stringify(toValue(one, kind)) === JSON.stringify(value);
  return [text, JSON.stringify(text)].find(isSame);
}

function toTest({ operator, text }: FormCondition, kind: ValueKind): [operator: string, value: unknown] {
  if (operator === 'exists' || operator === 'missing') return ['exists', operator === 'exists'];
  if (operator === 'isNull') return ['eq', null];
  if (operator === 'in') return ['in', textsOf({ operator, text }).map((one) => toValue(one, kind))];
  return [operator, operator === 'contains' ? text : toValue(text, kind)];
}

/** Adds a condition, in place of one on the same field with the same operator: the API takes one of each. */
export function withCondition(conditions: FormCondition[], added: FormCondition): FormCondition[] {
  const nameOf = (one: FormCondition) => `${toTest(one, 'any')[0]} ${one.pointer}`;
  return [...conditions.filter((one) => nameOf(one) !== nameOf(added)), added];
}

/** Selects a value of a field too, or no more. */
export function withValue(conditions: FormCondition[], pointer: string, text: string): FormCondition[] {
  const isOfField = (one: FormCondition) => one.pointer === pointer && ['eq', 'in'].includes(one.operator);
  const others = conditions.filter((one) => !isOfField(one));
  const chosen = conditions.filter(isOfField).flatMap(textsOf);
  const texts = chosen.includes(text) ? chosen.filter((one) => one !== text) : [...chosen, text];
  const [only] = texts;
  if (only === undefined) return others;
  const condition: FormCondition =
    texts.length === 1
      ? { pointer, operator: 'eq', text: only }
      : { pointer, operator: 'in', text: JSON.stringify(texts) };
  return [...others, condition];
}

const bounds: Operator[] = ['gt', 'gte', 'lt', 'lte'];

/** Selects the values of a range, in place of any other range of the field. */
export const withRange = (
  conditions: FormCondition[],
  pointer: string,
  range: [operator: Operator, text: string][],
): FormCondition[] => [
  ...conditions.filter((one) => one.pointer !== pointer || !bounds.includes(one.operator)),
  ...range.map(([operator, text]) => ({ pointer, operator, text })),
];

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

/** The reverse of `toTest`. */
function fromTest(pointer: string, operator: string, value: unknown, kind: ValueKind): FormCondition {
  const textOf = (one: unknown) => typedAs(one, kind) ?? (typeof one === 'string' ? one : toLine(one));
  if (operator === 'exists') return { pointer, operator: value ? 'exists' : 'missing', text: '' };
  if (operator === 'eq' && value === null) return { pointer, operator: 'isNull', text: '' };
  if (operator === 'contains') return { pointer, operator, text: value as string };
  const text = operator === 'in' ? JSON.stringify((value as unknown[]).map(textOf)) : textOf(value);
  return { pointer, operator: operator as Operator, text };
}

/** The reverse of `toFilter`, as far as the form has such conditions. */
export const fromFilter = (filter: string, { fieldAt }: Fields): FormCondition[] =>
  Object.entries(parseExact(filter) as Record<string, Record<string, unknown>>).flatMap(([name, tests]) => {
    const pointer = toFieldPointer(name);
    return Object.entries(tests).map(([operator, value]) =>
      fromTest(pointer, operator, value, fieldAt(pointer).kind),
    );
  });

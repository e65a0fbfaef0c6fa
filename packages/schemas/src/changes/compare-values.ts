import { toJson } from '@sluice/json/numbers.ts';
import { spend } from '../budget.ts';
import { equal } from '../equality.ts';
import type { Schema } from '../schema.ts';
import { everyType, numbers, ownTypes, types } from '../types.ts';
import { shownValue, type Tell } from './report.ts';

type Numeric = number | bigint;
type Limit = { keyword: string; value: Numeric; isExclusive: boolean };

const limitKeywords: [keyword: string, exclusive: string | undefined, isUpper: boolean][] = [
  ['minimum', 'exclusiveMinimum', false],
  ['maximum', 'exclusiveMaximum', true],
  ['minLength', undefined, false],
  ['maxLength', undefined, true],
  ['minItems', undefined, false],
  ['maxItems', undefined, true],
  ['minProperties', undefined, false],
  ['maxProperties', undefined, true],
];

/** Keywords whose values all apply, each by itself. */
const sets = ['multipleOf', 'pattern', 'format'];

/** Reports differences in keywords that have no schemas inside. All schemas of a list apply. */
export function compareValues(before: Schema[], after: Schema[], tell: Tell): void {
  compareTypes(typesOf(before), typesOf(after), tell);
  compareEnums(before, after, tell);
  compareLimits(before, after, tell);
  for (const keyword of sets) compareSets(keyword, valuesOf(before, keyword), valuesOf(after, keyword), tell);
  if (isUnique(before) !== isUnique(after))
    tell(isUnique(after) ? 'stricter' : 'looser', `uniqueItems is ${isUnique(after) ? 'new' : 'gone'}`);
}

const typesOf = (parts: Schema[]) => parts.reduce((set, { type }) => set & ownTypes(type), everyType);

function compareTypes(was: number, is: number, tell: Tell): void {
  if (was === is) return;
  const common = was & is;
  const kind = common === is ? 'stricter' : common === was ? 'looser' : 'changed';
  if (was === everyType) tell(kind, `type ${typeText(is)} is new`);
  else if (is === everyType) tell(kind, `type ${typeText(was)} is gone`);
  else tell(kind, `type was ${typeText(was)}, is ${typeText(is)}`);
}

function typeText(set: number): string {
  const isNumber = (set & numbers) === numbers;
  const names = Object.entries(types)
    .filter(([name, bit]) => set & bit && !(isNumber && name === 'integer'))
    .map(([name]) => (name === 'fraction' ? 'number' : name));
  return names.join(' or ') || 'none';
}

function compareEnums(before: Schema[], after: Schema[], tell: Tell): void {
  const was = allowedBy(before);
  const is = allowedBy(after);
  if (was && is) {
    const gone = without(was, is);
    const added = without(is, was);
    if (gone.length > 0) tell('stricter', `enum: ${listed(gone)} is gone`);
    if (added.length > 0) tell('looser', `enum: ${listed(added)} is new`);
  } else if (is) tell('stricter', `enum ${listed(is)} is new`);
  else if (was) tell('looser', `enum ${listed(was)} is gone`);
}

/** The values that `enum` and `const` of all schemas allow. */
function allowedBy(parts: Schema[]): unknown[] | undefined {
  const lists = parts.flatMap((part) => [
    ...(Array.isArray(part.enum) ? [part.enum] : []),
    ...(Object.hasOwn(part, 'const') ? [[part.const]] : []),
  ]);
  if (lists.length === 0) return undefined;
  return lists.reduce((common, list) => without(common, without(common, list)));
}

function without(values: unknown[], others: unknown[]): unknown[] {
  spend(values.length + others.length);
  const scalars = new Set(others);
  const objects = others.filter((other) => typeof other === 'object');
  return values.filter((value) => !scalars.has(value) && !objects.some((other) => equal(value, other)));
}

const listed = (values: unknown[]) => shownValue(values.map(toJson).join(', ') || 'of no value');

const valuesOf = (parts: Schema[], keyword: string) =>
  new Set(parts.flatMap(({ [keyword]: value }) => (value === undefined ? [] : [value])));

function compareSets(keyword: string, before: Set<unknown>, after: Set<unknown>, tell: Tell): void {
  const gone = [...before.difference(after)];
  const added = [...after.difference(before)];
  const text = (values: unknown[]) =>
    shownValue(values.map((value) => (keyword === 'pattern' ? toJson(value) : String(value))).join(' and '));
  if (gone.length > 0 && added.length > 0) tell('changed', `${keyword} was ${text(gone)}, is ${text(added)}`);
  else if (added.length > 0) tell('stricter', `${keyword} ${text(added)} is new`);
  else if (gone.length > 0) tell('looser', `${keyword} ${text(gone)} is gone`);
}

const isUnique = (parts: Schema[]) => parts.some(({ uniqueItems }) => uniqueItems === true);

/** Reports limits of numbers, lengths and counts that differ. */
function compareLimits(before: Schema[], after: Schema[], tell: Tell): void {
  for (const [keyword, exclusive, isUpper] of limitKeywords) {
    const was = tightest(limitsIn(before, keyword, exclusive), isUpper);
    const is = tightest(limitsIn(after, keyword, exclusive), isUpper);
    if (was && is) compareLimit(was, is, isUpper, tell);
    else if (is) tell('stricter', `${limitText(is)} is new`);
    else if (was) tell('looser', `${limitText(was)} is gone`);
  }
}

function compareLimit(was: Limit, is: Limit, isUpper: boolean, tell: Tell): void {
  const isStricter = isTighter(is, was, isUpper);
  if (!isStricter && !isTighter(was, is, isUpper)) return;
  const now = was.keyword === is.keyword ? is.value : limitText(is);
  tell(isStricter ? 'stricter' : 'looser', `${limitText(was, 'was ')}, is ${now}`);
}

const limitText = ({ keyword, value }: Limit, verb = '') => `${keyword} ${verb}${value}`;

function limitsIn(parts: Schema[], keyword: string, exclusive = keyword): Limit[] {
  return parts.flatMap(({ [keyword]: value, [exclusive]: beyond }): Limit[] => {
    const found: Limit[] = [];
    // In draft 04, `true` excludes the limit itself.
    if (isNumeric(value))
      found.push({ keyword: beyond === true ? exclusive : keyword, value, isExclusive: beyond === true });
    if (isNumeric(beyond) && exclusive !== keyword)
      found.push({ keyword: exclusive, value: beyond, isExclusive: true });
    return found;
  });
}

const tightest = (limits: Limit[], isUpper: boolean): Limit | undefined =>
  limits.reduce<Limit | undefined>(
    (best, limit) => (best && !isTighter(limit, best, isUpper) ? best : limit),
    undefined,
  );

function isTighter(a: Limit, b: Limit, isUpper: boolean): boolean {
  if (a.value < b.value) return isUpper;
  if (a.value > b.value) return !isUpper;
  return a.isExclusive && !b.isExclusive;
}

const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint';

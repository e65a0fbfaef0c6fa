import type { Schema } from '../parse-schema.ts';
import type { Tell } from './report.ts';

type Numeric = number | bigint;
/** The tightest of the limits that several schemas set. */
type Limit = { keyword: string; value: Numeric; isExclusive: boolean };

const keywords: [keyword: string, exclusive: string | undefined, isUpper: boolean][] = [
  ['minimum', 'exclusiveMinimum', false],
  ['maximum', 'exclusiveMaximum', true],
  ['minLength', undefined, false],
  ['maxLength', undefined, true],
  ['minItems', undefined, false],
  ['maxItems', undefined, true],
  ['minProperties', undefined, false],
  ['maxProperties', undefined, true],
];

/** Tells which limits of numbers, lengths and counts differ. All schemas of a list apply. */
export function compareLimits(before: Schema[], after: Schema[], tell: Tell): void {
  for (const [keyword, exclusive, isUpper] of keywords) {
    const was = tightest(limitsIn(before, keyword, exclusive), isUpper);
    const is = tightest(limitsIn(after, keyword, exclusive), isUpper);
    if (was && is) compareLimit(was, is, isUpper, tell);
    else if (is) tell('stricter', `${textOf(is)} is new`);
    else if (was) tell('looser', `${textOf(was)} is gone`);
  }
}

function compareLimit(was: Limit, is: Limit, isUpper: boolean, tell: Tell): void {
  const isStricter = isTighter(is, was, isUpper);
  if (!isStricter && !isTighter(was, is, isUpper)) return;
  const now = was.keyword === is.keyword ? is.value : textOf(is);
  tell(isStricter ? 'stricter' : 'looser', `${textOf(was, 'was ')}, is ${now}`);
}

const textOf = ({ keyword, value }: Limit, verb = '') => `${keyword} ${verb}${value}`;

function limitsIn(parts: Schema[], keyword: string, exclusive = keyword): Limit[] {
  return parts.flatMap(({ [keyword]: value, [exclusive]: beyond }): Limit[] => {
    const found: Limit[] = [];
    // In draft 04 it is true where the limit itself is not allowed.
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

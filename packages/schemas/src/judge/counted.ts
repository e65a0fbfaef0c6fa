import { createBudget } from '../budget.ts';
import { createEqual, createFindDuplicate } from '../equality.ts';
import { createFormats } from '../formats/formats.ts';
import { createIsMultiple } from '../multiple.ts';
import { type LinearRegExp, linearRegExp } from '../patterns/linear-regexp.ts';
import { createSharing } from '../sharing.ts';

/** Payloads are judged one after the other, so all share these: the engine keeps and optimises each function once. */
export const budget = createBudget();
export const equal = createEqual(budget.spend);
export const findDuplicate = createFindDuplicate(budget.spend);
export const isMultiple = createIsMultiple(budget.spend);
export const formats = createFormats(budget.spend);

// A pattern that was used takes 12 KB, and many schemas have the same ones.
const patterns = createSharing<LinearRegExp>();
export const patternOf = (source: string): LinearRegExp =>
  patterns(source, () => linearRegExp(source, budget.spend));

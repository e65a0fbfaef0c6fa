import type { Scalar } from '@sluice/store/entries/entry-filter.ts';

type Operand = Scalar | Scalar[];

const missing = Symbol('missing');

/** Whether a payload meets a filter, as the contract has it: field (JSON Pointer) → operator → operand. */
export function meets(payload: unknown, filter: Record<string, Record<string, Operand>>): boolean {
  return Object.entries(filter).every(([pointer, tests]) => {
    const value = memberAt(payload, pointer);
    return Object.entries(tests).every(([operator, operand]) => test(value, operator, operand));
  });
}

function memberAt(payload: unknown, pointer: string): unknown {
  let value = payload;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject || !Object.hasOwn(value as object, key)) return missing;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function test(value: unknown, operator: string, operand: Operand): boolean {
  if (operator === 'eq') return value === operand;
  if (operator === 'ne') return value !== operand;
  if (operator === 'in') return (operand as Scalar[]).includes(value as Scalar);
  if (operator === 'exists') return (value !== missing) === operand;
  if (operator === 'contains') return typeof value === 'string' && holds(value, operand as string);
  const isComparable = typeof value === typeof operand && ['number', 'string'].includes(typeof value);
  if (!isComparable) return false;
  const order = compare(value as number | string, operand as number | string);
  return { lt: order < 0, lte: order <= 0, gt: order > 0, gte: order >= 0 }[operator] as boolean;
}

/** At some place, each character is that of `part`, in capital or small letters. */
function holds(text: string, part: string): boolean {
  const [characters, wanted] = [Array.from(text), Array.from(part)];
  return Array.from({ length: characters.length + 1 }, (_, at) => at).some((at) =>
    wanted.every((character, i) => isSame(characters[at + i], character)),
  );
}

function isSame(a: string | undefined, b: string): boolean {
  return a !== undefined && (a === b || a.toLowerCase() === b.toLowerCase());
}

/** Strings by code point: JavaScript's own order is by UTF-16. */
function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number') return a - (b as number);
  const [left, right] = [a, b as string].map((text) =>
    Array.from(text, (point) => point.codePointAt(0) as number),
  );
  const differs = (left as number[]).findIndex((point, i) => point !== right?.[i]);
  if (differs === -1) return (left as number[]).length - (right as number[]).length;
  return (left?.[differs] as number) - (right?.[differs] ?? -1);
}

import { toJson } from '@sluice/json/numbers.ts';
import { parseExactJson } from '@sluice/json/parse-json.ts';
import { fromPointer } from '@sluice/json/pointer.ts';

/** What an answer tells of a field; values are JSON. */
export interface TestedField {
  path: string;
  types: { type: string; share: number }[];
  null_share: number;
  distinct: number;
  top: { value: unknown; count: number }[];
  min?: unknown;
  max?: unknown;
  histogram?: { from: unknown; to: unknown; count: number }[];
}

/** The keys of a field, as filters name it. */
export const keysOf = (name: string): string[] =>
  name.startsWith('/') ? fromPointer(name) : name.split('.');

/** The JSON of a member of a payload; undefined where it is null or missing. Payloads are as `readDocument` gives them. */
export function memberIn(payload: unknown, path: string[]): string | undefined {
  let value = payload;
  for (const key of path) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject || !Object.hasOwn(value as object, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value === null ? undefined : JSON.stringify(value);
}

export function typeOf(json: string): string {
  if (json.startsWith('"')) return 'string';
  if (json.startsWith('[')) return 'array';
  if (json.startsWith('{')) return 'object';
  return json === 'true' || json === 'false' ? 'boolean' : 'number';
}

const isScalar = (json: string) => !/^[[{]/.test(json);
/** As JSON or as they are, texts of more bytes may be hidden. */
const isShown = (json: string) => isScalar(json) && Buffer.byteLength(json) <= 200;

export function countsOf<Value>(values: Iterable<Value>): Map<Value, number> {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Milliseconds and microseconds of a time. */
export function instantOf(text: string): number {
  const micros = /\.\d{3}(\d+)/.exec(text)?.[1] ?? '0';
  return Date.parse(text.replace(/(\.\d{3})\d+/, '$1')) + Number(`0.${micros}`);
}

/** Numbers in order; integers that are one double by their digits. */
export function compareNumbers(one: string, other: string): number {
  const isInteger = /^-?\d{1,19}$/;
  const byDouble = Number(one) - Number(other);
  if (byDouble !== 0 || !isInteger.test(one) || !isInteger.test(other)) return byDouble;
  return Number(BigInt(one) - BigInt(other));
}

const descending = (counts: Iterable<number>) => [...counts].toSorted((a, b) => b - a);

/** What is wrong with what an answer tells of a field whose values are these. Times have one value for each instant. */
export function faultsOf(told: TestedField, values: (string | undefined)[]): string[] {
  const faults: string[] = [];
  const expect = (what: string, found: unknown, expected: unknown) => {
    if (toJson(found) !== toJson(expected)) faults.push(`${what}: ${toJson(found)}, not ${toJson(expected)}`);
  };
  const filled = values.filter((value) => value !== undefined);
  const share = (count: number) => count / Math.max(values.length, 1);
  const types = countsOf(filled.map(typeOf));
  expect(
    'types',
    Object.fromEntries(told.types.map(({ type, share }) => [type, share]).toSorted()),
    Object.fromEntries([...types].map(([type, count]) => [type, share(count)]).toSorted()),
  );
  expect('null_share', told.null_share, values.length === 0 ? 1 : share(values.length - filled.length));
  const bins = told.histogram;
  const areTimes = typeof bins?.[0]?.from === 'string';
  const keyOf = (json: string) => (areTimes ? String(instantOf(JSON.parse(json))) : json);
  const counts = countsOf(filled.filter(isScalar).map(keyOf));
  expect('distinct', told.distinct, counts.size);
  const shown = countsOf(filled.filter(isShown).map(keyOf));
  for (const { value, count } of told.top) {
    expect(`count of ${toJson(value)}`, count, shown.get(keyOf(toJson(value))));
    if (!filled.includes(toJson(value))) faults.push(`no entry has ${toJson(value)}`);
  }
  expect(
    'top',
    told.top.map(({ count }) => count),
    descending(shown.values()).slice(0, 10),
  );
  const places = areTimes ? filled : filled.filter((json) => typeOf(json) === 'number');
  const placeOf = (json: string) => (areTimes ? instantOf(JSON.parse(json)) : Number(json));
  if (places.length === 0) expect('histogram', bins, undefined);
  else {
    const ordered = places.toSorted((a, b) => (areTimes ? placeOf(a) - placeOf(b) : compareNumbers(a, b)));
    const ends = areTimes
      ? [told.min, told.max].map((one) => instantOf(one as string))
      : [toJson(told.min), toJson(told.max)];
    const [first, last] = [ordered[0] as string, ordered.at(-1) as string];
    expect('ends', ends, areTimes ? [placeOf(first), placeOf(last)] : [first, last]);
    const edge = (place: unknown) => (areTimes ? Date.parse(place as string) : Number(place));
    for (const { from, to, count } of bins ?? []) {
      const isIn = (place: number) =>
        place >= edge(from) && (bins?.length === 1 ? place <= edge(to) : place < edge(to));
      expect(`bin from ${from} to ${to}`, count, places.filter((json) => isIn(placeOf(json))).length);
    }
    expect(
      'bins',
      bins?.reduce((sum, { count }) => sum + count, 0),
      places.length,
    );
  }
  return faults.map((fault) => `${told.path}: ${fault}`);
}

export const readAnswer = <Answer>(json: string): Answer => parseExactJson(json) as Answer;

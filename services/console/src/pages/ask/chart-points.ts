import { nearestNumber } from '@sluice/json/numbers.ts';
import type { QuestionAnswer } from './answer.ts';

type ColumnKind = 'number' | 'time' | 'text' | 'other';

const kinds: [ColumnKind, RegExp][] = [
  ['number', /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL|BIGNUM)(?:\(.*\))?$/],
  ['time', /^(?:DATE|TIMESTAMP.*)$/],
  ['text', /^(?:VARCHAR|UUID|BOOLEAN|ENUM\(.*\))$/],
];

/** By the type of DuckDB. */
export const kindOfType = (type: string): ColumnKind =>
  kinds.find(([, pattern]) => pattern.test(type))?.[0] ?? 'other';

export interface Point {
  label: string;
  value: number | undefined;
  /** In ms; of a chart by time. */
  at: number;
}

/** The numbers that a chart can show by the first column; none if the first column is not a time or a text. */
export function chartedColumns({ columns: [first, ...others] }: QuestionAnswer): number[] {
  if (!first || !['time', 'text'].includes(kindOfType(first.type))) return [];
  return others.flatMap(({ name, type }, at) =>
    kindOfType(type) === 'number' && name !== 'schema_version' ? [at + 1] : [],
  );
}

export const isByTime = ({ columns: [first] }: QuestionAnswer): boolean =>
  kindOfType(first?.type ?? '') === 'time';

/** A time without a zone is in UTC, as all times of an answer. */
const toMs = (text: string) =>
  Date.parse(/T.*(?:Z|[+-]\d\d(?::?\d\d)?)$|^[^T]*$/.test(text) ? text : `${text}Z`);

/** The rows as points, those by time in their order. Rows whose first value is null have no place. */
export function pointsOf(answer: QuestionAnswer, column: number): Point[] {
  const points = answer.rows
    .filter(([first]) => first !== null)
    .map((row): Point => {
      const label = String(row[0]);
      return { label, value: nearestNumber(row[column]), at: toMs(label) };
    });
  if (!isByTime(answer)) return points;
  return points.filter(({ at }) => !Number.isNaN(at)).toSorted((a, b) => a.at - b.at);
}

/** The places of points between 0 and `width`: the closest two are 1 apart, so that a missing time leaves a gap. */
export function placesOf(points: Point[]): { places: number[]; width: number } {
  const first = points[0]?.at ?? 0;
  const length = (points.at(-1)?.at ?? 0) - first;
  const steps = points.slice(1).map(({ at }, before) => at - (points[before]?.at ?? 0));
  const step = Math.min(...steps.filter((each) => each > 0), length || 1);
  return { places: points.map(({ at }) => (at - first) / step), width: length / step + 1 };
}

import type { MetricDefinition, MetricName } from './table.ts';

export interface Sample {
  metricName: string;
  labels: Record<string, string>;
  value: number;
}

export type Count = (amount?: number) => void;
/** Takes seconds, or the unit of the metric. */
export type Observe = (value: number) => void;

interface Cell {
  samples(name: string, labels: Record<string, string>): Sample[];
}

/** A metric whose numbers are plain variables: prom-client's are too slow for uploads. */
export interface Family<Recorder> {
  /** The recorder of these labels. Keep it: a look-up for each request is slow. */
  of(labels: Record<string, string>): Recorder;
  samples(): Sample[];
}

function createFamily<Recorder>(
  name: string,
  create: () => { record: Recorder; cell: Cell },
): Family<Recorder> {
  const made = new Map<string, { labels: Record<string, string>; record: Recorder; cell: Cell }>();
  return {
    of(labels) {
      const key = Object.values(labels).join('\n');
      const known = made.get(key);
      if (known) return known.record;
      const created = { labels, ...create() };
      made.set(key, created);
      return created.record;
    },
    samples: () => [...made.values()].flatMap(({ cell, labels }) => cell.samples(name, labels)),
  };
}

export const createCounts = (name: MetricName): Family<Count> =>
  createFamily(name, () => {
    let value = 0;
    return {
      record: (amount = 1) => {
        value += amount;
      },
      cell: { samples: (metricName, labels) => [{ metricName, labels, value }] },
    };
  });

/** A histogram, or without buckets a summary of sum and count. */
export const createDurations = (name: MetricName, { buckets = [] }: MetricDefinition): Family<Observe> =>
  createFamily(name, () => {
    const counts = new Array<number>(buckets.length).fill(0);
    let sum = 0;
    let count = 0;
    return {
      record(value) {
        sum += value;
        count += 1;
        for (let i = buckets.length - 1; i >= 0 && value <= (buckets[i] as number); i--)
          (counts[i] as number)++;
      },
      cell: {
        samples: (base, labels) => [
          ...buckets.map((le, i) => ({
            metricName: `${base}_bucket`,
            labels: { ...labels, le: String(le) },
            value: counts[i] as number,
          })),
          ...(buckets.length > 0
            ? [{ metricName: `${base}_bucket`, labels: { ...labels, le: '+Inf' }, value: count }]
            : []),
          { metricName: `${base}_sum`, labels, value: sum },
          { metricName: `${base}_count`, labels, value: count },
        ],
      },
    };
  });

import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { version } from '../version.ts';
import {
  type CounterName,
  type DurationName,
  type GaugeName,
  type LabelsOf,
  type MetricDefinition,
  type MetricName,
  metricTable,
} from './table.ts';

/** Metrics of prom-client with a series for each heap space or kind of resource, which no operator needs. */
const unused = [
  'nodejs_heap_space_size_total_bytes',
  'nodejs_heap_space_size_used_bytes',
  'nodejs_heap_space_size_available_bytes',
  'nodejs_active_resources',
  'nodejs_active_handles',
  'nodejs_active_requests',
];

/** A store that does not answer a scrape in this time, in ms, is away. */
export const scrapeMs = 1_000;

export interface MetricsConfig {
  /** MONITORING_PORT; 0 for none. */
  port: number;
  /** If set, a scrape needs it, and the API also answers scrapes on its usual port. */
  token: string | undefined;
}

interface Sample {
  metricName: string;
  labels: Record<string, string>;
  value: number;
}

export type Count = (amount?: number) => void;
/** Takes seconds, or the unit of the metric. */
export type Observe = (value: number) => void;

export interface GaugeReading<Name extends GaugeName> {
  value: number;
  labels: LabelsOf<Name>;
}

/** The metrics of one process, by their names in the table. */
export interface Metrics {
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>): Count;
  /** In seconds, unless the name says otherwise. */
  observe<Name extends DurationName>(name: Name, labels: LabelsOf<Name>): Observe;
  /** Each scrape calls `read`, which must not reject, nor wait for a store longer than `scrapeMs`. */
  gauge<Name extends GaugeName>(
    name: Name,
    read: () => GaugeReading<Name>[] | Promise<GaugeReading<Name>[]>,
  ): void;
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>;
  contentType: string;
}

/** Metrics of Node.js itself are collected only if a scrape is possible. */
export function createMetrics({ port, token }: MetricsConfig): Metrics {
  const registry = new Registry();

  function register(name: MetricName, samples: () => Sample[] | Promise<Sample[]>): void {
    const { type, help } = metricTable[name];
    const metric = { name, get: async () => ({ name, help, type, values: await samples() }) };
    registry.registerMetric(metric as unknown as Metric);
  }

  /** A metric is registered with its first recorder. */
  function remembered<Made extends { samples(): Sample[] }>(
    create: (name: MetricName, definition: MetricDefinition) => Made,
  ) {
    const made = new Map<MetricName, Made>();
    return (name: MetricName): Made => {
      const known = made.get(name);
      if (known) return known;
      const family = create(name, metricTable[name]);
      made.set(name, family);
      register(name, family.samples);
      return family;
    };
  }
  const counts = remembered(createCounts);
  const durations = remembered(createDurations);

  const metrics: Metrics = {
    count: (name, labels) => counts(name).of(labels),
    observe: (name, labels) => durations(name).of(labels),
    gauge: (name, read) =>
      register(name, async () => (await read()).map((reading) => ({ metricName: name, ...reading }))),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
  metrics.gauge('sluice_build_info', () => [{ value: 1, labels: { version: version() } }]);
  if (port !== 0 || token !== undefined) {
    collectDefaultMetrics({ register: registry, gcDurationBuckets: [0.1] });
    for (const name of unused) registry.removeSingleMetric(name);
  }
  return metrics;
}

interface Cell {
  samples(name: string, labels: Record<string, string>): Sample[];
}

/** A metric whose numbers are plain variables: prom-client's are too slow for uploads. */
interface Family<Recorder> {
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

const createCounts = (name: MetricName): Family<Count> =>
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
const createDurations = (name: MetricName, { buckets = [] }: MetricDefinition): Family<Observe> =>
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

import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { version } from '../version.ts';
import { type Count, createCounts, createDurations, type Observe, type Sample } from './cells.ts';
import {
  type CounterName,
  type DurationName,
  type GaugeName,
  type LabelsOf,
  type MetricDefinition,
  type MetricName,
  metricTable,
} from './table.ts';

/** Of prom-client's own, those with a series for each space of the heap or kind of resource: an operator has no use for them. */
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
  /** What a scrape must have; the API then answers it on its usual port too. */
  token: string | undefined;
}

export interface Reading<Name extends GaugeName> {
  value: number;
  labels: LabelsOf<Name>;
}

/** The metrics of one process, by their names in the table. */
export interface Metrics {
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>): Count;
  /** In seconds, unless the name says otherwise. */
  observe<Name extends DurationName>(name: Name, labels: LabelsOf<Name>): Observe;
  /** `read` is called at each scrape; what it has no reading of has no sample. It must not reject, and not wait for a store longer than `scrapeMs`. */
  gauge<Name extends GaugeName>(name: Name, read: () => Reading<Name>[] | Promise<Reading<Name>[]>): void;
  /** All of them, in the text format of Prometheus. */
  text(): Promise<string>;
  contentType: string;
}

/** Those of Node.js are there only where someone may scrape them. */
export function createMetrics({ port, token }: MetricsConfig): Metrics {
  const registry = new Registry();

  function register(name: MetricName, samples: () => Sample[] | Promise<Sample[]>): void {
    const { type, help } = metricTable[name];
    const metric = { name, get: async () => ({ name, help, type, values: await samples() }) };
    registry.registerMetric(metric as unknown as Metric);
  }

  /** Each is registered when its first recorder is asked for. */
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

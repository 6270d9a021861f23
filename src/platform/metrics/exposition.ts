import { Counter, collectDefaultMetrics, Gauge, type Histogram, Registry } from 'prom-client';
import { withTimeout } from '../timeout.js';
import { type Aggregation, getAggregation, type Labels, type Metric, type Sample } from './metric.js';
import type { Reading } from './reading.js';

/** Longest wait for one metric; Prometheus waits ten seconds for the whole response by default. */
const READ_TIMEOUT_MS = 2_000;

/** Gauges of prom-client that have the suffix of counters and only sum up other gauges. */
const MISNAMED_GAUGES = ['handles', 'requests', 'resources'].map((kind) => `nodejs_active_${kind}_total`);

type Sampled = Exclude<Metric, { type: 'histogram' }>;

export interface ExpositionOptions {
  /** Whether to include metrics of memory, event loop and garbage collection. */
  includesProcess: boolean;
  onFailure(error: unknown, metric: string): void;
}

export class Exposition {
  /** Includes the metric of failed readings. */
  readonly metrics: readonly Metric[];
  readonly #registry = new Registry();
  readonly #options: ExpositionOptions;
  readonly #aggregations = new Map<string, Aggregation>();
  #failures = 0;

  /** @throws for duplicate names */
  constructor(metrics: readonly Metric[], options: ExpositionOptions) {
    this.#options = options;
    if (options.includesProcess) {
      collectDefaultMetrics({ register: this.#registry });
      for (const name of MISNAMED_GAUGES) this.#registry.removeSingleMetric(name);
    }
    const failures: Metric = {
      name: 'heliograph_metrics_read_failures_total',
      help: 'Metrics that could not be read and are missing from a response, for example because the store was unreachable',
      type: 'counter',
      read: () => [{ value: this.#failures }],
    };
    this.metrics = [...metrics, failures];
    for (const metric of this.metrics) this.#add(metric);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Metrics that cannot be read are left out of the response. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  async collectReadings(): Promise<Reading[]> {
    const metrics = await this.#registry.getMetricsAsJSON();
    return metrics.map(({ name, help, type, values }) => ({
      name,
      help,
      type: String(type),
      aggregation: this.#aggregations.get(name) ?? 'each',
      values: (values ?? []).map((reading) => ({
        ...reading,
        labels: reading.labels as Record<string, string | number>,
      })),
    }));
  }

  #add(metric: Metric): void {
    this.#aggregations.set(metric.name, getAggregation(metric));
    if (metric.type === 'histogram') {
      this.#registry.registerMetric(toPromHistogram(metric));
      return;
    }
    const { name, help, labels: labelNames, type } = metric;
    const options = { name, help, labelNames: labelNames ?? [], registers: [this.#registry] };
    if (type === 'counter') {
      const counter: Counter = new Counter({
        ...options,
        collect: () => this.#collect(metric, counter, (labels, value) => counter.inc(labels, value)),
      });
    } else {
      const gauge: Gauge = new Gauge({
        ...options,
        collect: () => this.#collect(metric, gauge, (labels, value) => gauge.set(labels, value)),
      });
    }
  }

  async #collect(
    metric: Sampled,
    target: Counter | Gauge,
    write: (labels: Labels, value: number) => void,
  ): Promise<void> {
    // Two scrapes may collect concurrently, so read all samples first and then write them synchronously.
    const samples = await this.#read(metric);
    removeSamples(target, metric.labels);
    for (const { labels = {}, value } of samples) write(labels, value);
  }

  async #read(metric: Sampled): Promise<Iterable<Sample>> {
    try {
      return await withTimeout(Promise.resolve(metric.read()), READ_TIMEOUT_MS);
    } catch (error) {
      this.#failures += 1;
      this.#options.onFailure(error, metric.name);
      return [];
    }
  }
}

/** For a metric without labels, `reset` alone would leave a zero that was never measured. */
function removeSamples(metric: Counter | Gauge, labels: readonly string[] = []): void {
  metric.reset();
  if (labels.length === 0) metric.remove();
}

/** prom-client's histograms cannot be set to given counts, but its registry accepts any object with `get`. */
function toPromHistogram({ name, help, read }: Extract<Metric, { type: 'histogram' }>): Histogram {
  const values = () =>
    [...read()].flatMap(({ labels = {}, histogram }) => [
      ...histogram.cumulativeCounts().map(({ bound, count }) => ({
        metricName: `${name}_bucket`,
        labels: { ...labels, le: String(bound) },
        value: count,
      })),
      { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: histogram.count },
      { metricName: `${name}_sum`, labels, value: histogram.sum },
      { metricName: `${name}_count`, labels, value: histogram.count },
    ]);
  const promHistogram = { name, help, get: async () => ({ name, help, type: 'histogram', values: values() }) };
  return promHistogram as unknown as Histogram;
}

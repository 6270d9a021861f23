import { Counter, collectDefaultMetrics, Gauge, type Histogram, Registry } from 'prom-client';
import { withTimeout } from '../timeout.js';
import { type Across, acrossOf, type Labels, type Metric, type Sample } from './metric.js';
import type { Reading } from './reading.js';

/** How long a reading may ask the store. Prometheus waits for ten seconds unless told otherwise. */
const PATIENCE_MS = 2_000;

/** Gauges that prom-client calls as only counters may be called; each only adds up one that stands beside it. */
const MISNAMED = ['handles', 'requests', 'resources'].map((each) => `nodejs_active_${each}_total`);

type Sampled = Exclude<Metric, { type: 'histogram' }>;

export interface ExpositionOptions {
  /** Whether Node.js' own are among them: memory, event loop, garbage collection. They watch for as long as the process lives. */
  ofProcess: boolean;
  /** Told of a reading that failed. */
  onFailure(error: unknown, metric: string): void;
}

/** Writes metrics down in Prometheus' text format, as they are at that moment. */
export class Exposition {
  readonly #registry = new Registry();
  readonly #options: ExpositionOptions;
  readonly #across = new Map<string, Across>();
  #failures = 0;

  /** @throws Error when two metrics have the same name */
  constructor(metrics: readonly Metric[], options: ExpositionOptions) {
    this.#options = options;
    if (options.ofProcess) {
      collectDefaultMetrics({ register: this.#registry });
      for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
    }
    const failures: Metric = {
      name: 'heliograph_metrics_read_failures_total',
      help: 'Readings of a metric that failed, so that it is missing from the answer',
      type: 'counter',
      read: () => [{ value: this.#failures }],
    };
    for (const metric of [...metrics, failures]) this.#add(metric);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All of them. What cannot be read is left out. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** All of them, for another process that makes one answer of those of several. */
  async readings(): Promise<Reading[]> {
    const read = await this.#registry.getMetricsAsJSON();
    return read.map(({ name, help, type, values }) => ({
      name,
      help,
      type: String(type),
      // Node.js' own are of this process.
      across: this.#across.get(name) ?? 'each',
      values: (values ?? []).map((each) => ({ ...each, labels: each.labels as Record<string, string | number> })),
    }));
  }

  #add(metric: Metric): void {
    this.#across.set(metric.name, acrossOf(metric));
    if (metric.type === 'histogram') {
      this.#registry.registerMetric(asHistogram(metric));
      return;
    }
    const { name, help, labels, type } = metric;
    const options = { name, help, labelNames: labels ?? [], registers: [this.#registry] };
    if (type === 'counter') {
      const counter: Counter = new Counter({
        ...options,
        collect: () => this.#collect(metric, counter, (of, value) => counter.inc(of, value)),
      });
    } else {
      const gauge: Gauge = new Gauge({
        ...options,
        collect: () => this.#collect(metric, gauge, (of, value) => gauge.set(of, value)),
      });
    }
  }

  async #collect(
    metric: Sampled,
    into: Counter | Gauge,
    write: (labels: Labels, value: number) => void,
  ): Promise<void> {
    // Read first, then written in one go: two may ask at the same time.
    const samples = await this.#read(metric);
    empty(into, metric.labels);
    for (const { labels = {}, value } of samples) write(labels, value);
  }

  async #read(metric: Sampled): Promise<Iterable<Sample>> {
    try {
      return await withTimeout(Promise.resolve(metric.read()), PATIENCE_MS);
    } catch (error) {
      this.#failures += 1;
      this.#options.onFailure(error, metric.name);
      return [];
    }
  }
}

/** Takes every sample away; `reset` alone would leave a zero, which nobody has read, where there is no label. */
function empty(metric: Counter | Gauge, labels: readonly string[] = []): void {
  metric.reset();
  if (labels.length === 0) metric.remove();
}

/** prom-client's own histograms cannot be set; its registry takes whatever answers `get` as they do. */
function asHistogram({ name, help, read }: Extract<Metric, { type: 'histogram' }>): Histogram {
  const values = () =>
    [...read()].flatMap(({ labels = {}, spread }) => [
      ...spread.upTo().map(({ bound, count }) => ({
        metricName: `${name}_bucket`,
        labels: { ...labels, le: String(bound) },
        value: count,
      })),
      { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: spread.count },
      { metricName: `${name}_sum`, labels, value: spread.sum },
      { metricName: `${name}_count`, labels, value: spread.count },
    ]);
  const histogram = { name, help, get: async () => ({ name, help, type: 'histogram', values: values() }) };
  return histogram as unknown as Histogram;
}

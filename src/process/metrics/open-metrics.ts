import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { SaidOnce } from '../../platform/log/said-once.js';
import type { Exposition } from '../../platform/metrics/exposition.js';
import type { Metric } from '../../platform/metrics/metric.js';
import { type MetricsAppOptions, metricsApp } from '../../surfaces/metrics/metrics-app.js';
import { ListenError } from '../listening.js';
import type { Logger } from '../logger.js';
import type { Config } from '../settings/config.js';

type MetricsConfig = Pick<Config, 'metricsHost' | 'metricsPort' | 'metricsToken'>;

/**
 * Listens for Prometheus where METRICS_PORT says so; null where it is not set.
 * @param expose makes what is answered, unless that is `metrics`; whoever wants none need not load the library
 * @throws {ListenError} when the address is taken
 */
export async function openMetrics(
  config: MetricsConfig,
  { log, metrics }: { log: Logger; metrics: readonly Metric[] },
  expose: () => Promise<MetricsAppOptions['exposition']> = () => exposed(metrics, log),
): Promise<{ app: FastifyInstance; url: string } | null> {
  const { metricsHost: host, metricsPort: port, metricsToken: token } = config;
  if (port === undefined) return null;
  const app = metricsApp({ exposition: await expose(), token });
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw new ListenError({ host, port }, error, { host: 'METRICS_HOST', port: 'METRICS_PORT' });
  }
  const { port: taken } = app.server.address() as AddressInfo;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${taken}/metrics`;
  log.info(`Metrics for Prometheus are at ${url}`);
  return { app, url };
}

/**
 * What a process measures, to be written down.
 * @param ofProcess whether what Node.js says of the process is among it
 */
export async function exposed(metrics: readonly Metric[], log: Logger, ofProcess = true): Promise<Exposition> {
  const { Exposition } = await import('../../platform/metrics/exposition.js');
  const failures = new SaidOnce({ log, level: 'warn' });
  return new Exposition(metrics, {
    ofProcess,
    onFailure: (error, metric) => failures.say(error, 'a metric could not be read', { metric }),
  });
}

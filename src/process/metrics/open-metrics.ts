import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { FailureLog } from '../../platform/log/failure-log.js';
import type { Exposition } from '../../platform/metrics/exposition.js';
import type { Metric } from '../../platform/metrics/metric.js';
import { type MetricsAppOptions, metricsApp } from '../../surfaces/metrics/metrics-app.js';
import { ListenError } from '../listening.js';
import type { Logger } from '../logger.js';
import type { Config } from '../settings/config.js';

type MetricsConfig = Pick<Config, 'metricsHost' | 'metricsPort' | 'metricsToken'>;

/**
 * Serves metrics on METRICS_PORT. Returns null if METRICS_PORT is unset, without calling `expose`, so that the metrics library
 * is not loaded.
 * @throws {ListenError}
 */
export async function openMetrics(
  config: MetricsConfig,
  { log, metrics }: { log: Logger; metrics: readonly Metric[] },
  expose: () => Promise<MetricsAppOptions['exposition']> = () => exposeMetrics(metrics, log),
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
  const { port: actualPort } = app.server.address() as AddressInfo;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}/metrics`;
  log.info(`Metrics for Prometheus are at ${url}`);
  return { app, url };
}

export async function exposeMetrics(
  metrics: readonly Metric[],
  log: Logger,
  includesNodeMetrics = true,
): Promise<Exposition> {
  const { Exposition } = await import('../../platform/metrics/exposition.js');
  const failures = new FailureLog({ log, level: 'warn' });
  return new Exposition(metrics, {
    includesProcess: includesNodeMetrics,
    onFailure: (error, metric) => failures.report(error, 'a metric could not be read', { metric }),
  });
}

import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { SaidOnce } from '../../platform/log/said-once.js';
import { metricsApp } from '../../surfaces/metrics/metrics-app.js';
import type { Deps } from '../deps.js';
import { ListenError } from '../listening.js';
import type { Config } from '../settings/config.js';

/**
 * Listens for Prometheus where METRICS_PORT says so; null where it is not set.
 * @throws {ListenError} when the address is taken
 */
export async function openMetrics(
  config: Pick<Config, 'metricsHost' | 'metricsPort' | 'metricsToken' | 'role'>,
  deps: Pick<Deps, 'log' | 'metrics'>,
): Promise<{ app: FastifyInstance; url: string } | null> {
  const { metricsHost: host, metricsPort: port, metricsToken: token } = config;
  if (port === undefined) return null;
  // Whoever wants no metrics need not load the library.
  const { Exposition } = await import('../../platform/metrics/exposition.js');
  const failures = new SaidOnce({ log: deps.log, level: 'warn' });
  const exposition = new Exposition(deps.metrics, {
    ofProcess: true,
    onFailure: (error, metric) => failures.say(error, 'a metric could not be read', { metric }),
  });
  const app = metricsApp({ exposition, token });
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw new ListenError({ host, port }, error, { host: 'METRICS_HOST', port: 'METRICS_PORT' });
  }
  const { port: taken } = app.server.address() as AddressInfo;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${taken}/metrics`;
  deps.log.info(`Metrics for Prometheus are at ${url}`);
  return { app, url };
}

import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import type { ErrorCode } from '../../../platform/errors/app-error.js';
import { Histogram, SHORT_SECONDS } from '../../../platform/metrics/histogram.js';
import { type Metric, toSamples } from '../../../platform/metrics/metric.js';

const UNKNOWN = 'unknown';
const MS_PER_SECOND = 1000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Start time by `performance.now()`, set only if metrics are on. */
    startedAt: number;
  }
}

class Operation {
  /** Number of responses by the first digit of their status. */
  readonly statusClasses = new Array<number>(10).fill(0);
  readonly seconds = new Histogram(SHORT_SECONDS);

  recordResponse(status: number, milliseconds: number): void {
    const statusClass = Math.trunc(status / 100);
    this.statusClasses[statusClass] = (this.statusClasses[statusClass] as number) + 1;
    this.seconds.observe(milliseconds / MS_PER_SECOND);
  }
}

export class RequestTally {
  readonly #operations = new Map<string, Operation>();
  readonly #refusals = new Map<ErrorCode, number>();

  forOperation(operation: string): Operation {
    const existing = this.#operations.get(operation);
    if (existing) return existing;
    const operationMetrics = new Operation();
    this.#operations.set(operation, operationMetrics);
    return operationMetrics;
  }

  recordRefusal(code: ErrorCode): void {
    this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1);
  }

  metrics(): Metric[] {
    // Operations that were never called are left out, because there are about 300 operations.
    const calledOperations = () => [...this.#operations].filter(([, { seconds }]) => seconds.count > 0);
    return [
      {
        name: 'heliograph_http_requests_total',
        help: 'Requests, by operation ID of the OpenAPI document (unknown: no such endpoint) and class of the status, such as 2xx',
        type: 'counter',
        labels: ['operation', 'status'],
        read: () =>
          calledOperations().flatMap(([operation, { statusClasses }]) =>
            statusClasses.flatMap((value, digit) =>
              value > 0 ? [{ labels: { operation, status: `${digit}xx` }, value }] : [],
            ),
          ),
      },
      {
        name: 'heliograph_http_request_duration_seconds',
        help: 'Time from the headers of a request to its response, by operation',
        type: 'histogram',
        labels: ['operation'],
        read: () =>
          calledOperations().map(([operation, { seconds }]) => ({ labels: { operation }, histogram: seconds })),
      },
      {
        name: 'heliograph_http_refusals_total',
        help: 'Requests that got an error, by reason, such as invalid_request or rate_limited',
        type: 'counter',
        labels: ['reason'],
        read: () =>
          toSamples(
            'reason',
            [...this.#refusals].map(([code, count]) => [code.toLowerCase(), count] as const),
          ),
      },
    ];
  }
}

/** Each route gets its own hook, so that no request needs a lookup. */
export const requestMetrics = plugin(
  async (app: FastifyInstance, { requests }: { requests: RequestTally }) => {
    app.decorateRequest('beganAt', 0);
    const unknown = requests.forOperation(UNKNOWN);
    app.addHook('onRequest', (request, _reply, done) => {
      if (request.is404) unknown.recordResponse(404, 0);
      else request.startedAt = performance.now();
      done();
    });
    app.addHook('onRoute', (route) => {
      const methods = [route.method].flat().join();
      const operation = requests.forOperation(String(route.schema?.operationId ?? `${methods} ${route.url}`));
      route.onSend = [
        ...[route.onSend ?? []].flat(),
        (request, reply, _payload, done) => {
          operation.recordResponse(reply.statusCode, performance.now() - request.startedAt);
          done();
        },
      ];
    });
  },
  { name: 'request-metrics' },
);

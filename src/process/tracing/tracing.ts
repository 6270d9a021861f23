import type { Telemetry } from 'bullmq';
import type { FastifyInstance } from 'fastify';
import type { Traces } from '../../platform/tracing/traces.js';

export interface Tracing {
  traces: Traces;
  queue: Telemetry;
  /** Call this function before hooks and endpoints are registered. */
  traceRequests(app: FastifyInstance): Promise<void>;
  close(timeoutMs: number): Promise<void>;
}

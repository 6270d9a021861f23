import type { Telemetry } from 'bullmq';
import type { FastifyInstance } from 'fastify';
import type { Traces } from '../../platform/tracing/traces.js';

/** Tracing of a process. */
export interface Tracing {
  traces: Traces;
  /** Telemetry of BullMQ jobs. */
  queue: Telemetry;
  /** Traces the requests of an application. Call it before hooks and endpoints are registered. */
  traceRequests(app: FastifyInstance): Promise<void>;
  /** Sends the collected spans, for at most `timeoutMs`, and stops. */
  close(timeoutMs: number): Promise<void>;
}

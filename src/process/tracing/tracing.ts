import type { Telemetry } from 'bullmq';
import type { FastifyInstance } from 'fastify';
import type { Traces } from '../../platform/tracing/traces.js';

/** The traces of a process. */
export interface Tracing {
  traces: Traces;
  /** What BullMQ tells of jobs. */
  queue: Telemetry;
  /** Traces the requests of an application; before its hooks and endpoints. */
  traceRequests(app: FastifyInstance): Promise<void>;
  /** Sends what was gathered, for so many milliseconds at the most, and ends. */
  close(patienceMs: number): Promise<void>;
}

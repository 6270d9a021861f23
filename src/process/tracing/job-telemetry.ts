import { INVALID_SPAN_CONTEXT, isSpanContextValid, type SpanOptions, trace } from '@opentelemetry/api';
import type { Telemetry } from 'bullmq';
import { BullMQOTelSpan, BullMQOtel } from 'bullmq-otel';
import { jobContext } from './step-traces.js';

/**
 * What BullMQ tells of jobs, of those alone that belong to a trace: it would begin one for each look at the queue, and
 * take a job that is added after others for a part of the first one's.
 */
export function jobTelemetry(): Telemetry {
  const telemetry = new BullMQOtel({ tracerName: 'bullmq' }) as Telemetry;
  const { tracer, contextManager } = telemetry;
  const startSpan = tracer.startSpan.bind(tracer);
  contextManager.active = jobContext as typeof contextManager.active;
  tracer.startSpan = (name: string, options?: SpanOptions, given?: unknown) => {
    const parent = (given ?? jobContext()) as ReturnType<typeof jobContext>;
    const before = trace.getSpanContext(parent);
    if (before && isSpanContextValid(before)) return startSpan(name, options as never, parent as never);
    return new BullMQOTelSpan(trace.wrapSpanContext(INVALID_SPAN_CONTEXT)) as never;
  };
  return telemetry;
}

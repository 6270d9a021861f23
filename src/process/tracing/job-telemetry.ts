import { INVALID_SPAN_CONTEXT, isSpanContextValid, type SpanOptions, trace } from '@opentelemetry/api';
import type { Telemetry } from 'bullmq';
import { BullMQOTelSpan, BullMQOtel } from 'bullmq-otel';
import { jobContext } from './step-traces.js';

/**
 * Traces only jobs that belong to a trace. Without this restriction, BullMQ would start a trace for each poll of the queue, and
 * add jobs to the trace of an earlier job.
 */
export function jobTelemetry(): Telemetry {
  const telemetry = new BullMQOtel({ tracerName: 'bullmq' }) as Telemetry;
  const { tracer, contextManager } = telemetry;
  const startSpan = tracer.startSpan.bind(tracer);
  contextManager.active = jobContext as typeof contextManager.active;
  tracer.startSpan = (name: string, options?: SpanOptions, explicitParent?: unknown) => {
    const parent = (explicitParent ?? jobContext()) as ReturnType<typeof jobContext>;
    const parentSpan = trace.getSpanContext(parent);
    if (parentSpan && isSpanContextValid(parentSpan)) return startSpan(name, options as never, parent as never);
    return new BullMQOTelSpan(trace.wrapSpanContext(INVALID_SPAN_CONTEXT)) as never;
  };
  return telemetry;
}

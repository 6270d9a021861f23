import {
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  type Span as OtelSpan,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Span, SpanAttributes, SpanStart, Traces } from '../../platform/tracing/traces.js';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/;
const KINDS = { consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT };
/** Marks a context that was set for a job, rather than inherited from the code that woke the queue. */
const IS_JOB_CONTEXT = createContextKey('heliograph job');

export function toTraceparent(span: OtelSpan): string | null {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return traceFlags & TraceFlags.SAMPLED ? `00-${traceId}-${spanId}-01` : null;
}

function parseTraceparent(traceparent: string): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

export function jobContext(): Context {
  const active = context.active();
  return active.getValue(IS_JOB_CONTEXT) ? active : ROOT_CONTEXT;
}

/** Links each step of a message to the previous step by the traceparent in the store. */
export class StepTraces implements Traces {
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  startSpan({ name, kind, parent, attributes, isInJob, startedAt: startTime }: SpanStart): Span {
    const parentContext = parseTraceparent(parent);
    const job = isInJob ? trace.getSpanContext(context.active()) : undefined;
    const links = job && isSpanContextValid(job) ? [{ context: job }] : [];
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], attributes, startTime, links }, parentContext);
    return new Step(span, parentContext);
  }

  runWithin<T>(parent: string | null, work: () => T): T {
    const parentContext = parent === null ? ROOT_CONTEXT : parseTraceparent(parent);
    return context.with(parentContext.setValue(IS_JOB_CONTEXT, true), work);
  }
}

class Step implements Span {
  readonly #span: OtelSpan;
  readonly #parentContext: Context;

  constructor(span: OtelSpan, parentContext: Context) {
    this.#span = span;
    this.#parentContext = parentContext;
  }

  get traceparent(): string | null {
    return toTraceparent(this.#span);
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    propagation.inject(trace.setSpan(this.#parentContext, this.#span), headers);
    return headers;
  }

  end(attributes: SpanAttributes = {}, error?: string): void {
    this.#span.setAttributes(attributes);
    if (error !== undefined) {
      this.#span.setAttribute('error.type', error);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}

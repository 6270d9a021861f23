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
/** Marks a context that was set for a job, and not left over from whatever woke the queue's code. */
const OF_JOB = createContextKey('heliograph job');

/** The name of a span for the steps that follow; null where it is not recorded. */
export function traceparentOf(span: OtelSpan): string | null {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return traceFlags & TraceFlags.SAMPLED ? `00-${traceId}-${spanId}-01` : null;
}

function contextOf(traceparent: string): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** The context that was set for a job; that of nothing, where none was. */
export function jobContext(): Context {
  const active = context.active();
  return active.getValue(OF_JOB) ? active : ROOT_CONTEXT;
}

/** The steps of messages: each knows the one before it by what lies in the store. */
export class StepTraces implements Traces {
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  begin({ name, kind, parent, attributes, ofJob, startedAt: startTime }: SpanStart): Span {
    const before = contextOf(parent);
    const job = ofJob ? trace.getSpanContext(context.active()) : undefined;
    const links = job && isSpanContextValid(job) ? [{ context: job }] : [];
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], attributes, startTime, links }, before);
    return new Step(span, before);
  }

  within<T>(parent: string | null, act: () => T): T {
    const of = parent === null ? ROOT_CONTEXT : contextOf(parent);
    return context.with(of.setValue(OF_JOB, true), act);
  }
}

class Step implements Span {
  readonly #span: OtelSpan;
  readonly #before: Context;

  constructor(span: OtelSpan, before: Context) {
    this.#span = span;
    this.#before = before;
  }

  get traceparent(): string | null {
    return traceparentOf(this.#span);
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    propagation.inject(trace.setSpan(this.#before, this.#span), headers);
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

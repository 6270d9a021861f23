/** Attributes of a span. Must not contain phone numbers or message texts. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The start of a span, as part of a trace. */
export interface SpanStart {
  name: string;
  /** `consumer` for work that another step queued, `client` for a request to another server. */
  kind: 'consumer' | 'client';
  /**
   * The preceding step: `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/#traceparent-header).
   */
  parent: string;
  attributes: SpanAttributes;
  /** Whether it runs in a job of the queue, to which it is then linked. */
  isInJob?: boolean;
  /** Milliseconds since 1970. Default: now. */
  startedAt?: number;
}

export interface Span {
  /** Identifies the span to later steps; null if it is not recorded. */
  readonly traceparent: string | null;
  /** Headers that continue the trace in a request to another server. */
  headers(): Record<string, string>;
  /** @param error a code if the step failed; error messages may contain phone numbers and texts */
  end(attributes?: SpanAttributes, error?: string): void;
}

/** Records the spans of a process. Code that takes it gets null if tracing is off, which costs nothing. */
export interface Traces {
  startSpan(start: SpanStart): Span;
  /** Runs code that adds a job to the queue, with this trace or none as the job's parent. */
  within<T>(parent: string | null, act: () => T): T;
}

/** Span attributes must not contain phone numbers or message texts. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanStart {
  name: string;
  /** The kind is `consumer` for work that another step queued and `client` for a request to another server. */
  kind: 'consumer' | 'client';
  /** The `traceparent` header of W3C Trace Context (https://www.w3.org/TR/trace-context/#traceparent-header). */
  parent: string;
  attributes: SpanAttributes;
  /** Whether to link the span to the queue's job. */
  isInJob?: boolean;
  /** Default: now. */
  startedAt?: number;
}

export interface Span {
  /** Null if not recorded. */
  readonly traceparent: string | null;
  headers(): Record<string, string>;
  /** @param error an error code, because error messages may contain phone numbers and texts */
  end(attributes?: SpanAttributes, error?: string): void;
}

export interface Traces {
  startSpan(start: SpanStart): Span;
  /** Jobs that `act` adds to the queue get `parent` as their parent span. */
  runWithin<T>(parent: string | null, act: () => T): T;
}

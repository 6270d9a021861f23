/** What a span tells beside its name: numbers of people and texts of messages never. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A step that begins, as part of a trace. */
export interface SpanStart {
  name: string;
  /** `consumer` where it works off what another step left, `client` where it asks another server. */
  kind: 'consumer' | 'client';
  /** The step before: `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/#traceparent-header). */
  parent: string;
  attributes: SpanAttributes;
  /** It runs in a job of the queue, which it is linked with. */
  ofJob?: boolean;
  /** Milliseconds since 1970; now unless told. */
  startedAt?: number;
}

/** A step under way. */
export interface Span {
  /** Names it to the steps that follow; null where it is not recorded. */
  readonly traceparent: string | null;
  /** What a request to another server carries, so that the trace goes on there. */
  headers(): Record<string, string>;
  /** @param error a code, where it failed: what errors say may quote numbers and texts */
  end(attributes?: SpanAttributes, error?: string): void;
}

/** Where the steps of a process are traced. Parts that take it get null where nothing is traced, and then pay nothing. */
export interface Traces {
  begin(start: SpanStart): Span;
  /** Runs what hands a job to the queue: the job belongs to this trace, or to none. */
  within<T>(parent: string | null, act: () => T): T;
}

import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { Logger } from 'pino';

/**
 * Sends spans, and tells of a collector that does not take them in one line when that begins and in one, with a count, when
 * it ends. Nobody waits for it: what was not taken is lost.
 */
export class ToldExporter implements SpanExporter {
  readonly #inner: OTLPTraceExporter;
  readonly #log: Logger;
  /** Spans lost since the collector took some last; null while it takes them. */
  #lost: number | null = null;
  /** Spans that it has not answered for yet. */
  #underWay = 0;

  constructor(inner: OTLPTraceExporter, log: Logger) {
    this.#inner = inner;
    this.#log = log;
  }

  export(spans: Parameters<SpanExporter['export']>[0], done: Parameters<SpanExporter['export']>[1]): void {
    this.#underWay += spans.length;
    this.#inner.export([...spans], (result) => {
      this.#underWay -= spans.length;
      if (result.error || result.code !== 0) this.failed(result.error, spans.length);
      else if (this.#lost !== null) this.#recovered();
      // The SDK would log a failure once more.
      done({ code: 0 });
    });
  }

  /** Something kept spans from being sent. */
  failed(error: unknown, spans = 0): void {
    if (this.#lost === null) this.#log.warn({ err: error }, 'traces cannot be sent, and are lost until they can be');
    this.#lost = (this.#lost ?? 0) + spans;
  }

  /** More spans came at a time than can be gathered. */
  overflowed(spans: number): void {
    // With an error, so that it is one line and a count however often it comes.
    const err = new Error('more spans came than are gathered (OTEL_BSP_MAX_QUEUE_SIZE)');
    this.#log.warn({ err, lost: spans }, 'spans were lost');
  }

  #recovered(): void {
    this.#log.info({ lost: this.#lost }, 'traces are sent again');
    this.#lost = null;
  }

  /** Tells what was lost where the process ends before the collector took something again. */
  close(): void {
    if (this.#lost !== null) this.#log.warn({ lost: this.#lost + this.#underWay }, 'traces were not sent to the end');
  }

  forceFlush(): Promise<void> {
    return this.#inner.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }
}

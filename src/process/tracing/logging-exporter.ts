import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { Logger } from 'pino';

/** Logs one line when sending traces starts to fail, and the number of lost spans when sending works again. */
export class LoggingExporter implements SpanExporter {
  readonly #exporter: OTLPTraceExporter;
  readonly #log: Logger;
  /** Null while sending works. */
  #lost: number | null = null;
  #pending = 0;

  constructor(exporter: OTLPTraceExporter, log: Logger) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: Parameters<SpanExporter['export']>[0], callback: Parameters<SpanExporter['export']>[1]): void {
    this.#pending += spans.length;
    this.#exporter.export([...spans], (result) => {
      this.#pending -= spans.length;
      if (result.error || result.code !== 0) this.recordFailure(result.error, spans.length);
      else if (this.#lost !== null) this.#recovered();
      // A failure is reported to the SDK as success, because the SDK would log it again.
      callback({ code: 0 });
    });
  }

  recordFailure(error: unknown, spans = 0): void {
    if (this.#lost === null)
      this.#log.warn({ err: error }, 'traces cannot be sent and are lost until sending works again');
    this.#lost = (this.#lost ?? 0) + spans;
  }

  recordOverflow(spans: number): void {
    // The reason is logged as an error object, because the log combines repeated errors into one line with a count.
    const err = new Error('more spans arrived than OTEL_BSP_MAX_QUEUE_SIZE allows');
    this.#log.warn({ err, lost: spans }, 'spans were lost');
  }

  #recovered(): void {
    this.#log.info({ lost: this.#lost }, 'traces are sent again');
    this.#lost = null;
  }

  close(): void {
    if (this.#lost !== null) this.#log.warn({ lost: this.#lost + this.#pending }, 'the last traces could not be sent');
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}

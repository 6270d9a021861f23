import type { Carrier } from '../../carriers/carrier.js';
import type { Span, Traces } from '../../platform/tracing/traces.js';
import type { Lane } from '../lanes.js';
import type { StatusEvent } from '../status/events.js';
import type { ClaimedMessage } from './send-store.js';

/**
 * Records one span per attempt with one span per carrier inside it, following the OpenTelemetry conventions for messaging
 * (https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/).
 */
export class SendTraces {
  readonly #traces: Traces | null;

  constructor(traces: Traces | null) {
    this.#traces = traces;
  }

  /** Returns null if the message is not traced. */
  startProcessing({ traceparent, id, kind, attempt }: ClaimedMessage, lane: Lane): Span | null {
    if (this.#traces === null || traceparent === null) return null;
    return this.#traces.startSpan({
      name: 'process message',
      kind: 'consumer',
      parent: traceparent,
      isInJob: true,
      attributes: {
        'messaging.system': 'heliograph',
        'messaging.operation.name': 'process',
        'messaging.operation.type': 'process',
        'messaging.destination.name': lane,
        'messaging.message.id': id,
        'heliograph.message.kind': kind,
        'heliograph.message.attempt': attempt,
      },
    });
  }

  static endHeld(span: Span | null): void {
    span?.end({ 'heliograph.message.outcome': 'held' });
  }

  static endProcessing(span: Span | null, outcome: StatusEvent): void {
    if (span === null) return;
    const status = outcome.type === 'end' ? outcome.status : outcome.type;
    const error = outcome.type === 'end' || outcome.type === 'retry' ? outcome.errorCode : undefined;
    span.end({ 'heliograph.message.outcome': status }, error);
  }

  startSubmission(carrier: Pick<Carrier, 'name' | 'type'>, messageId: string, parentSpan: Span | null): Span | null {
    const parent = parentSpan?.traceparent;
    if (!this.#traces || !parent) return null;
    return this.#traces.startSpan({
      name: `send ${carrier.name}`,
      kind: 'client',
      parent,
      attributes: {
        'messaging.system': carrier.type,
        'messaging.operation.name': 'send',
        'messaging.operation.type': 'send',
        'messaging.destination.name': carrier.name,
        'messaging.message.id': messageId,
      },
    });
  }
}

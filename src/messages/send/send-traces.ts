import type { Carrier } from '../../carriers/carrier.js';
import type { Span, Traces } from '../../platform/tracing/traces.js';
import type { Lane } from '../lanes.js';
import type { StatusEvent } from '../status/events.js';
import type { ClaimedMessage } from './send-store.js';

/**
 * The spans of sending, of messages whose request was traced, by the conventions for messaging
 * (https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/): one for each time that a message is taken up,
 * and in it one for each carrier that it is handed to.
 */
export class SendTraces {
  readonly #traces: Traces | null;

  constructor(traces: Traces | null) {
    this.#traces = traces;
  }

  /** A message was taken up for sending; null where nothing of it is traced. */
  takenUp({ traceparent, id, kind, attempt }: ClaimedMessage, lane: Lane): Span | null {
    if (this.#traces === null || traceparent === null) return null;
    return this.#traces.begin({
      name: 'process message',
      kind: 'consumer',
      parent: traceparent,
      ofJob: true,
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

  /** Ends the span of a message that was taken up, with what came of it. */
  static settled(span: Span | null, outcome: StatusEvent): void {
    if (span === null) return;
    const status = outcome.type === 'end' ? outcome.status : outcome.type;
    const error = outcome.type === 'end' || outcome.type === 'retry' ? outcome.errorCode : undefined;
    span.end({ 'heliograph.message.outcome': status }, error);
  }

  /** A carrier is handed a message. */
  handedOver(carrier: Pick<Carrier, 'name' | 'type'>, messageId: string, within: Span | null): Span | null {
    const parent = within?.traceparent;
    if (!this.#traces || !parent) return null;
    return this.#traces.begin({
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

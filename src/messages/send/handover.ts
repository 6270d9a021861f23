import type { Logger } from 'pino';
import type { OutboundMessage, Submission } from '../../carriers/carrier.js';
import { CarrierError, NOT_SUBMITTED } from '../../carriers/carrier-error.js';
import type { Departure } from '../../carriers/departure.js';
import { withoutSecret } from '../../carriers/http/redaction.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { Routing } from '../../carriers/registry/routing.js';
import { segment } from '../../carriers/sms/segments.js';
import { isOver } from '../../platform/deadline.js';
import type { Span } from '../../platform/tracing/traces.js';
import type { ClaimedMessage } from './send-store.js';
import type { SendTraces } from './send-traces.js';

export interface HandoverOptions {
  log: Logger;
  carriers: Pick<CarrierRegistry, 'get' | 'find' | 'activity'>;
  routing: Pick<Routing, 'carriersFor'>;
  traces: SendTraces;
}

/** What became of a message that was handed over: a carrier took it, or none did. */
export type HandoverResult =
  | { taken: true; carrier: string; needsReference: boolean; submission: Submission }
  /** `carrier` is the one whose error it is. */
  | { taken: false; carrier: string; error: CarrierError };

/** Hands messages to carriers: to the first of the message's route that is up and takes it. */
export class Handover {
  readonly #options: HandoverOptions;

  constructor(options: HandoverOptions) {
    this.#options = options;
  }

  /**
   * Tries the carriers of a message one after the other. The next is tried when one did not take it but might another
   * time, unless its answer was lost or it has taken a part: then the message may be on its way already.
   * @param departure checked by the carriers directly before the message leaves
   * @param span of the message, where it is traced
   * @param secret what of the text no error may tell
   */
  async submit(
    message: ClaimedMessage,
    departure: Departure,
    signal: AbortSignal,
    span: Span | null,
    secret: string | null = null,
  ): Promise<HandoverResult> {
    const outbound = toOutbound(message, departure);
    let refused: Extract<HandoverResult, { taken: false }> | null = null;
    for (const name of this.#candidates(message)) {
      const result = await this.#submitTo(name, outbound, message, signal, span, secret);
      if (result.taken) return result;
      refused = refused ? moreTelling(refused, result) : result;
      if (!mayPassOn(result.error)) return result;
    }
    return refused as HandoverResult;
  }

  /** At least one. Those that are not up come last: one of them may be just back, and says at once if it is not. */
  #candidates(message: ClaimedMessage): readonly string[] {
    const { carrier, more, kind, accountId, recipient, sender } = message;
    const holder = more?.acceptedParts?.[0]?.carrier;
    // The parts of a message go out together.
    if (holder !== undefined) return [holder];
    const route = kind === 'sms' ? this.#options.routing.carriersFor({ accountId, recipient, sender }) : null;
    if (!route) return [carrier];
    if (route.length === 1) return route;
    const up = route.filter((name) => this.#options.carriers.find(name)?.state().up);
    return up.length === route.length ? route : [...up, ...route.filter((name) => !up.includes(name))];
  }

  async #submitTo(
    name: string,
    outbound: OutboundMessage,
    { id: messageId, requestId }: ClaimedMessage,
    signal: AbortSignal,
    span: Span | null,
    secret: string | null,
  ): Promise<HandoverResult> {
    const { activity } = this.#options.carriers;
    let step: Span | null = null;
    activity.began(name);
    try {
      if (isOver(signal)) throw CarrierError.notSubmitted();
      const carrier = this.#options.carriers.get(name);
      step = this.#options.traces.handedOver(carrier, messageId, span);
      const submission = await carrier.submit(outbound, signal);
      step?.end();
      activity.took(name);
      return { taken: true, carrier: name, needsReference: carrier.needsReferences, submission };
    } catch (error) {
      const known = errorWithout(error instanceof CarrierError ? error : unexpected(error), secret);
      step?.end({}, known.code);
      activity.failed(name, known);
      if (!(error instanceof CarrierError)) {
        const fields = { err: secret === null ? error : known, carrier: name, messageId, requestId };
        this.#options.log.error(fields, 'a carrier failed unexpectedly');
      }
      return { taken: false, carrier: name, error: known };
    }
  }
}

function mayPassOn({ retryable, answerLost, acceptedParts, code }: CarrierError): boolean {
  return retryable && !answerLost && acceptedParts.length === 0 && code !== NOT_SUBMITTED;
}

/** Of two refusals that another carrier was tried after: the one that says more, with the shorter pause of both. */
function moreTelling(
  first: Extract<HandoverResult, { taken: false }>,
  second: Extract<HandoverResult, { taken: false }>,
): Extract<HandoverResult, { taken: false }> {
  const { carrier, error } = first.error.notTried && !second.error.notTried ? second : first;
  const pauseMs = Math.min(first.error.pauseMs, second.error.pauseMs);
  if (pauseMs === error.pauseMs) return { taken: false, carrier, error };
  return { taken: false, carrier, error: error.with({ pauseMs }) };
}

function toOutbound(message: ClaimedMessage, departure: Departure): OutboundMessage {
  return {
    id: message.id,
    kind: message.kind,
    channelId: message.more?.channelId ?? null,
    channelSettings: message.more?.channelSettings ?? null,
    from: message.sender,
    to: message.recipient,
    attempt: message.attempt,
    body: message.body,
    content: message.content,
    segmentation: message.kind === 'sms' ? segment(message.body) : null,
    acceptedParts: message.more?.acceptedParts?.map(({ part, carrierMessageId }) => ({ part, carrierMessageId })) ?? [],
    validUntil: message.validUntil,
    departure,
  };
}

/** A carrier may repeat the text that it refuses. */
function errorWithout(error: CarrierError, secret: string | null): CarrierError {
  if (secret === null) return error;
  const { code, message, retryable, answerLost, notTried, acceptedParts, pauseMs, channelPaused } = error;
  const hidden = (text: string) => withoutSecret(text, secret);
  const options = { retryable, answerLost, notTried, acceptedParts, pauseMs, channelPaused };
  return new CarrierError(hidden(code), hidden(message), options);
}

/** An error that no carrier should throw: the message may have left, so another try counts as a repetition. */
function unexpected(cause: unknown): CarrierError {
  return CarrierError.answerLost('The carrier failed unexpectedly.', { code: 'CARRIER_FAILURE', cause });
}

import type { Logger } from 'pino';
import type { OutboundMessage, Submission } from '../../carriers/carrier.js';
import { CarrierError, NOT_SUBMITTED } from '../../carriers/carrier-error.js';
import type { Departure } from '../../carriers/departure.js';
import { maskSecret } from '../../carriers/http/redaction.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { Routing } from '../../carriers/registry/routing.js';
import { segment } from '../../carriers/sms/segments.js';
import { isPastDeadline } from '../../platform/deadline.js';
import type { Span } from '../../platform/tracing/traces.js';
import type { ClaimedMessage } from './send-store.js';
import type { SendTraces } from './send-traces.js';

export interface SubmitterOptions {
  log: Logger;
  carriers: Pick<CarrierRegistry, 'get' | 'find' | 'activity'>;
  routing: Pick<Routing, 'findCarriers'>;
  traces: SendTraces;
}

export type SubmitResult =
  | { accepted: true; carrier: string; needsReference: boolean; submission: Submission }
  | { accepted: false; carrier: string; error: CarrierError };

export class Submitter {
  readonly #options: SubmitterOptions;

  constructor(options: SubmitterOptions) {
    this.#options = options;
  }

  /**
   * Tries the next carrier after a temporary refusal. After a lost response or an accepted part, no other carrier is tried,
   * because the message may already be on its way.
   * @param departure checked by carriers directly before the message leaves
   * @param span the message's span, if traced
   * @param secret text to remove from errors
   */
  async submit(
    message: ClaimedMessage,
    departure: Departure,
    signal: AbortSignal,
    span: Span | null,
    secret: string | null = null,
  ): Promise<SubmitResult> {
    const outbound = toOutbound(message, departure);
    let refusal: Extract<SubmitResult, { accepted: false }> | null = null;
    for (const name of this.#listCandidates(message)) {
      const result = await this.#submitTo(name, outbound, message, signal, span, secret);
      if (result.accepted) return result;
      refusal = refusal ? pickMoreSpecific(refusal, result) : result;
      if (!mayTryNextCarrier(result.error)) return result;
    }
    return refusal as SubmitResult;
  }

  /**
   * Carriers that are down are tried last rather than skipped, because they may have just recovered, and fail quickly if they
   * have not.
   */
  #listCandidates(message: ClaimedMessage): readonly string[] {
    const { carrier, details, kind, accountId, recipient, sender } = message;
    const partsCarrier = details?.acceptedParts?.[0]?.carrier;
    // All parts of a message must go to the same carrier.
    if (partsCarrier !== undefined) return [partsCarrier];
    const route = kind === 'sms' ? this.#options.routing.findCarriers({ accountId, recipient, sender }) : null;
    if (!route) return [carrier];
    if (route.length === 1) return route;
    const carriersUp = route.filter((name) => this.#options.carriers.find(name)?.state().up);
    return carriersUp.length === route.length
      ? route
      : [...carriersUp, ...route.filter((name) => !carriersUp.includes(name))];
  }

  async #submitTo(
    name: string,
    outbound: OutboundMessage,
    { id: messageId, requestId }: ClaimedMessage,
    signal: AbortSignal,
    span: Span | null,
    secret: string | null,
  ): Promise<SubmitResult> {
    const { activity } = this.#options.carriers;
    let submissionSpan: Span | null = null;
    activity.recordSubmission(name);
    try {
      if (isPastDeadline(signal)) throw CarrierError.notSubmitted();
      const carrier = this.#options.carriers.get(name);
      submissionSpan = this.#options.traces.startSubmission(carrier, messageId, span);
      const submission = await carrier.submit(outbound, signal);
      submissionSpan?.end();
      activity.recordAcceptance(name);
      return { accepted: true, carrier: name, needsReference: carrier.needsReferences, submission };
    } catch (error) {
      const failure = redactError(error instanceof CarrierError ? error : toUnexpectedError(error), secret);
      submissionSpan?.end({}, failure.code);
      activity.recordFailure(name, failure);
      if (!(error instanceof CarrierError)) {
        const fields = { err: secret === null ? error : failure, carrier: name, messageId, requestId };
        this.#options.log.error(fields, 'a carrier threw an unexpected error');
      }
      return { accepted: false, carrier: name, error: failure };
    }
  }
}

function mayTryNextCarrier({ retryable, answerLost, acceptedParts, code }: CarrierError): boolean {
  return retryable && !answerLost && acceptedParts.length === 0 && code !== NOT_SUBMITTED;
}

/** Returns the more specific of two refusals, with the shorter pause. */
function pickMoreSpecific(
  first: Extract<SubmitResult, { accepted: false }>,
  second: Extract<SubmitResult, { accepted: false }>,
): Extract<SubmitResult, { accepted: false }> {
  const { carrier, error } = first.error.notTried && !second.error.notTried ? second : first;
  const pauseMs = Math.min(first.error.pauseMs, second.error.pauseMs);
  if (pauseMs === error.pauseMs) return { accepted: false, carrier, error };
  return { accepted: false, carrier, error: error.with({ pauseMs }) };
}

function toOutbound(message: ClaimedMessage, departure: Departure): OutboundMessage {
  return {
    id: message.id,
    kind: message.kind,
    channelId: message.details?.channelId ?? null,
    channelSettings: message.details?.channelSettings ?? null,
    from: message.sender,
    to: message.recipient,
    attempt: message.attempt,
    body: message.body,
    content: message.content,
    segmentation: message.kind === 'sms' ? segment(message.body) : null,
    acceptedParts:
      message.details?.acceptedParts?.map(({ part, carrierMessageId }) => ({ part, carrierMessageId })) ?? [],
    validUntil: message.validUntil,
    departure,
  };
}

/** Removes the secret from a carrier's error, because the carrier may quote the refused text. */
function redactError(error: CarrierError, secret: string | null): CarrierError {
  if (secret === null) return error;
  const { code, message, retryable, answerLost, notTried, acceptedParts, pauseMs, channelPaused } = error;
  const redact = (text: string) => maskSecret(text, secret);
  const options = { retryable, answerLost, notTried, acceptedParts, pauseMs, channelPaused };
  return new CarrierError(redact(code), redact(message), options);
}

/** Treats an unexpected error as a lost response, because the message may have left. */
function toUnexpectedError(cause: unknown): CarrierError {
  return CarrierError.answerLost('The carrier failed unexpectedly.', { code: 'CARRIER_FAILURE', cause });
}

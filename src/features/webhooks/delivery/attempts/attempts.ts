import type { Logger } from 'pino';
import type { Clock } from '../../../../platform/clock.js';
import { AppError } from '../../../../platform/errors/app-error.js';
import type { FaultPoints } from '../../../../platform/faults.js';
import { isStoreAway, isUnable, worthRepeating } from '../../../../platform/store/failures.js';
import type { Traces } from '../../../../platform/tracing/traces.js';
import type { FormatFacts } from '../../formats.js';
import type { Replier } from '../../twilio/reply.js';
import type { ClaimedDelivery, DeliveryResult } from '../delivery-store.js';
import { retryDelayMs } from '../retry-schedule.js';
import type { Post } from './client.js';
import { type ComposedTry, compose } from './compose.js';
import { beginSpan, outcomeOf } from './delivery-span.js';

const GONE = 410;

/** Recorded in the log of the webhook when this server fails at something that another try would not fix. */
const OWN_FAILURE = 'Heliograph failed itself; its log says how';

export interface AttemptOptions {
  log: Logger;
  /** Business time. */
  clock: Clock;
  /** The machine's clock, by which deliveries are signed whatever `clock` says. */
  signingClock: Clock;
  faults: FaultPoints;
  post: Post;
  /** Sends the messages that an endpoint in Twilio's format responds with. */
  reply: Replier;
  /** Traces of deliveries about messages whose request was traced; left out where nothing is traced. */
  traces?: Traces | null;
}

/** One attempt to deliver. */
export interface Attempt {
  /** Null where the attempt was broken off. */
  result: DeliveryResult | null;
  /** Whether a request was sent to the endpoint. */
  isSent: boolean;
}

/** Makes single attempts: composes the event, sends it, and replies if the response asks for that. */
export class Attempts {
  readonly #options: AttemptOptions;

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  /** @throws when the reply fails for a reason that passes: the delivery is then tried again once its lease ends */
  async make(delivery: ClaimedDelivery, facts: FormatFacts | Error | undefined, signal: AbortSignal): Promise<Attempt> {
    const { post, faults, traces } = this.#options;
    const { id, webhookId, accountId, url, endpointUrl, attempts, failures, dueAt } = delivery;
    const claimed = { id, webhookId, accountId, url: endpointUrl, attempts, dueAt };
    const composed = this.#compose(delivery, facts);
    if (!composed) {
      const failed = { ok: false, gone: false, statusCode: null, error: OWN_FAILURE, answer: null };
      const delayMs = retryDelayMs(failures + 1);
      return { result: { ...claimed, ...failed, delayMs, endedAt: performance.now() }, isSent: false };
    }
    const { body, headers } = composed;
    const span = beginSpan(traces, delivery);
    const sent = post({
      ...{ url, signal, body, keepsWhole: isReplied(delivery) },
      headers: span ? { ...headers, ...span.headers() } : headers,
    });
    const { ok, statusCode, error, answer = null, whole = null, aborted } = await sent;
    const endedAt = performance.now();
    span?.end(...outcomeOf(statusCode, ok));
    if (aborted) return { result: null, isSent: true };
    await faults.hit('webhook:sent');
    // Before the result is written: a process that is killed in between sends the event again, and replies only once all the same.
    const refusal = ok && whole !== null ? await this.#reply(delivery, whole) : null;
    const gone = statusCode === GONE;
    const delayMs = ok || gone ? null : retryDelayMs(failures + 1);
    const result = { ...claimed, ok, gone, statusCode, error: error ?? refusal, answer, delayMs, endedAt };
    return { result, isSent: true };
  }

  /** @returns null for an event that cannot be written, which counts as a failed try so that it is not tried for ever */
  #compose(delivery: ClaimedDelivery, facts: FormatFacts | Error | undefined): ComposedTry | null {
    const { clock, signingClock, log } = this.#options;
    try {
      if (facts instanceof Error) throw facts;
      return compose(delivery, facts, clock.now(), signingClock.now());
    } catch (error) {
      const { id: deliveryId, webhookId } = delivery;
      log.error({ err: error, webhookId, deliveryId }, 'the body of a webhook delivery could not be written');
      return null;
    }
  }

  /**
   * Replies as a response asks for it. A reply that always fails is logged, and the event is not sent again: the endpoint has it.
   * @returns why no reply was sent; null where one was
   */
  async #reply(delivery: ClaimedDelivery, answer: string): Promise<string | null> {
    try {
      return await this.#options.reply(delivery, answer);
    } catch (error) {
      // What this server refuses only for a moment, such as under load, works later.
      if (isPassing(error)) throw error;
      this.#options.log.error(
        { err: error, deliveryId: delivery.id },
        'a webhook was answered by what cannot be replied',
      );
      return OWN_FAILURE;
    }
  }
}

/** Whether a failure passes by itself: of the store, or of a server that is too busy. */
export function isPassing(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'UNAVAILABLE';
  return isStoreAway(error) || isUnable(error) || worthRepeating(error);
}

/** Whether the endpoint's response may be a reply. */
function isReplied({ format, type }: ClaimedDelivery): boolean {
  return format === 'twilio' && type === 'message.received';
}

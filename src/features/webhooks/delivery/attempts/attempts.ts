import type { Logger } from 'pino';
import type { Clock } from '../../../../platform/clock.js';
import { AppError } from '../../../../platform/errors/app-error.js';
import type { FaultPoints } from '../../../../platform/faults.js';
import { isRetryable, isStoreUnable, isStoreUnreachable } from '../../../../platform/store/failures.js';
import type { Traces } from '../../../../platform/tracing/traces.js';
import type { Post } from '../../client.js';
import type { FormatFacts } from '../../formats.js';
import type { Replier } from '../../twilio/reply.js';
import type { ClaimedDelivery, DeliveryResult } from '../delivery-store.js';
import { retryDelayMs } from '../retry-schedule.js';
import { type ComposedRequest, composeRequest } from './compose.js';
import { describeOutcome, startSpan } from './delivery-span.js';

const GONE = 410;

/** Error text in the delivery log for failures of this server that another attempt would not fix. */
const OWN_FAILURE = 'Internal error of Heliograph; see the server log';

export interface AttemptOptions {
  log: Logger;
  /** Business time. */
  clock: Clock;
  /** The machine's clock, which signatures use because receivers compare their timestamps with the real time. */
  signingClock: Clock;
  faults: FaultPoints;
  post: Post;
  reply: Replier;
  traces?: Traces | null;
}

export interface Attempt {
  /** Null if aborted. */
  result: DeliveryResult | null;
  isSent: boolean;
}

export class Attempts {
  readonly #options: AttemptOptions;

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  /** Throws transient errors of the reply, so that the delivery is repeated when its lease ends. */
  async make(delivery: ClaimedDelivery, facts: FormatFacts | Error | undefined, signal: AbortSignal): Promise<Attempt> {
    const { post, faults, traces } = this.#options;
    const { id, webhookId, accountId, url, endpointUrl, attempts, failures, dueAt } = delivery;
    const identity = { id, webhookId, accountId, url: endpointUrl, attempts, dueAt };
    const composed = this.#compose(delivery, facts);
    if (!composed) {
      const failed = { ok: false, gone: false, statusCode: null, error: OWN_FAILURE, answer: null };
      const delayMs = retryDelayMs(failures + 1);
      return { result: { ...identity, ...failed, delayMs, endedAt: performance.now() }, isSent: false };
    }
    const { body, headers } = composed;
    const span = startSpan(traces, delivery);
    const response = post({
      ...{ url, signal, body, keepsBody: expectsReply(delivery) },
      headers: span ? { ...headers, ...span.headers() } : headers,
    });
    const { ok, statusCode, error, answer = null, responseBody = null, aborted } = await response;
    const endedAt = performance.now();
    span?.end(...describeOutcome(statusCode, ok));
    if (aborted) return { result: null, isSent: true };
    await faults.hit('webhook:sent');
    // The reply is sent before the result is written. If the process is killed between the reply and the write, only
    // the event is sent again.
    const refusal = ok && responseBody !== null ? await this.#reply(delivery, responseBody) : null;
    const gone = statusCode === GONE;
    const delayMs = ok || gone ? null : retryDelayMs(failures + 1);
    const result = { ...identity, ok, gone, statusCode, error: error ?? refusal, answer, delayMs, endedAt };
    return { result, isSent: true };
  }

  /**
   * Returns null if the request cannot be composed. The delivery then counts as failed, so it is not repeated forever.
   */
  #compose(delivery: ClaimedDelivery, facts: FormatFacts | Error | undefined): ComposedRequest | null {
    const { clock, signingClock, log } = this.#options;
    try {
      if (facts instanceof Error) throw facts;
      return composeRequest(delivery, facts, clock.now(), signingClock.now());
    } catch (error) {
      const { id: deliveryId, webhookId } = delivery;
      log.error({ err: error, webhookId, deliveryId }, 'a webhook delivery could not be composed');
      return null;
    }
  }

  /**
   * Returns why no reply was sent, or null. After a permanent failure, the event is not sent again, because the
   * endpoint already has it.
   */
  async #reply(delivery: ClaimedDelivery, responseBody: string): Promise<string | null> {
    try {
      return await this.#options.reply(delivery, responseBody);
    } catch (error) {
      if (isTransientFailure(error)) throw error;
      this.#options.log.error(
        { err: error, deliveryId: delivery.id },
        'the messages of a TwiML response could not be sent',
      );
      return OWN_FAILURE;
    }
  }
}

export function isTransientFailure(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'UNAVAILABLE';
  return isStoreUnreachable(error) || isStoreUnable(error) || isRetryable(error);
}

function expectsReply({ format, type }: ClaimedDelivery): boolean {
  return format === 'twilio' && type === 'message.received';
}

import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import { isPastDeadline } from '../../platform/deadline.js';
import { toAttemptId } from '../attempt-id.js';
import type { Carrier, CarrierSinks, CarrierState, OutboundMessage, Submission } from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { CarrierContext } from '../carrier-type.js';
import { requestUnlessWithheld } from '../departure.js';
import { type FailureCode, vendorCode } from '../failure-codes.js';
import { discardBody, type HttpAnswer } from '../http/client.js';
import { readRetryAfterMs } from '../http/errors.js';
import { Pace } from '../http/pace.js';
import { Pauses } from '../http/pauses.js';
import { PendingWork } from '../http/pending-work.js';
import { createRedactor } from '../http/redaction.js';
import { Slots } from '../http/slots.js';
import type { FetchedMedia } from '../media/carrier-media.js';
import { toSubmission } from '../submission.js';
import type { TemplateChannel } from '../templates.js';
import { type Outcome, readOutcome } from './answer/outcome.js';
import { buildReceiptUrl } from './callbacks/callback-urls.js';
import type { Plan } from './plan.js';
import { Polling } from './polling.js';
import { buildMessageVariables } from './request/variables.js';
import { VendorClient } from './vendor-client.js';

export const HTTP = 'http';

/** Pauses after throttling, lack of credit, and refused credentials. */
const THROTTLE = { firstMs: 500, longestMs: 60_000 };
const CREDIT = { firstMs: 60_000, longestMs: 30 * 60_000 };
const CREDENTIALS = { firstMs: 15_000, longestMs: 10 * 60_000 };
const WHOLE_CARRIER = '';

type PauseKind = 'throttled' | 'credit' | 'credentials';

export class HttpCarrier implements Carrier {
  readonly name: string;
  readonly type = HTTP;
  readonly ratePerSecond: number | null;
  readonly needsReferences: boolean;
  readonly plan: Plan;
  readonly requestReceipts?: NonNullable<Carrier['requestReceipts']>;
  readonly #log: Logger;
  readonly #redact: (text: string) => string;
  readonly #clock: Clock;
  readonly #client: VendorClient;
  readonly #pace: Pace | null;
  readonly #slots: Slots;
  readonly #polling: Polling;
  readonly #pauses: Readonly<Record<PauseKind, Pauses>> = {
    throttled: new Pauses(THROTTLE),
    credit: new Pauses(CREDIT),
    credentials: new Pauses(CREDENTIALS),
  };
  readonly #pendingWork = new PendingWork();
  #closed = false;
  #isMaybeAccepted: CarrierSinks['isMaybeAccepted'] = async () => false;

  /** `secrets` are removed from error texts, because a vendor's response may repeat them. */
  constructor(context: Omit<CarrierContext, 'settings'> & { plan: Plan; secrets: readonly string[] }) {
    const { name, plan, secrets, log, clock, calls, privateHosts = [] } = context;
    this.name = name;
    this.plan = plan;
    this.ratePerSecond = plan.ratePerSecond;
    this.needsReferences = plan.ids === 'vendor';
    this.#log = log;
    this.#redact = createRedactor(secrets);
    this.#clock = clock;
    this.#client = new VendorClient({ plan, privateHosts, clock, calls });
    this.#pace = plan.ratePerSecond === null ? null : new Pace(plan.ratePerSecond);
    this.#slots = new Slots(plan.parallel);
    this.#polling = new Polling({ name, plan, log, clock, client: this.#client });
    if (this.#polling.pollsMessages) this.requestReceipts = (messages) => this.#polling.requestReceipts(messages);
  }

  state(): CarrierState {
    const pause = this.#findPause();
    if (!pause) return { up: true };
    return { up: false, until: new Date(this.#clock.now().getTime() + pause.remainingMs), reason: pause.text };
  }

  fetch(url: URL): Promise<HttpAnswer> {
    return this.#client.call({ method: 'GET', url });
  }

  /** @param carrierMediaId the file's download URL */
  async fetchMedia(_channel: TemplateChannel, carrierMediaId: string, signal: AbortSignal): Promise<FetchedMedia> {
    if (!URL.canParse(carrierMediaId)) throw CarrierError.refused('BAD_ADDRESS', 'The file has no valid URL.');
    const { status, headers, body } = await this.#client.open(new URL(carrierMediaId), signal);
    if (status === 200) return { mimeType: headers['content-type']?.toString() ?? null, sha256: null, bytes: body };
    discardBody({ body });
    const isGone = status === 403 || status === 404 || status === 410;
    throw CarrierError.refused('BAD_ANSWER', `${this.plan.vendor} answered ${status} for the file.`, {
      retryable: !isGone,
    });
  }

  now(): Date {
    return this.#clock.now();
  }

  window(): { size: number; inUse: number } {
    return { size: this.#slots.size, inUse: this.#slots.inUse };
  }

  async start(sinks: CarrierSinks): Promise<void> {
    this.#isMaybeAccepted = sinks.isMaybeAccepted;
    this.#polling.start(sinks);
  }

  submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    return this.#pendingWork.track(this.#submit(message, signal));
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#closed = true;
    // Closing the client aborts polls that the vendor does not answer in time.
    const pollingClosed = this.#pendingWork.track(this.#polling.close(signal));
    await Promise.all([pollingClosed, this.#pendingWork.finish(signal, () => this.#client.close())]);
  }

  async #submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    if (message.kind !== 'sms') throw CarrierError.refused('WRONG_KIND', 'This carrier only sends SMS.');
    this.#requireNoPause();
    if (!(await this.#slots.acquire(signal))) throw CarrierError.notSubmitted();
    try {
      if (this.#pace && !(await this.#pace.waitForTurn(signal))) throw CarrierError.notSubmitted();
      this.#requireNoPause();
      return await this.#send(message, signal);
    } finally {
      this.#slots.release();
    }
  }

  async #send(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    const { plan } = this;
    const variables = buildMessageVariables(message, {
      now: this.#clock.now(),
      encodings: plan.encodings,
      shortestValidity: plan.shortestValidity,
      longestValidity: plan.longestValidity,
      // The URL must be the same for every attempt if the vendor ignores repeated requests with our message ID.
      receiptUrl: buildReceiptUrl(plan, this.name, plan.ids === 'attempts' ? toAttemptId(message) : message.id),
    });
    const call = await this.#client.prepare(plan.send, variables);
    const requireOpen = () => {
      if (isPastDeadline(signal) || this.#closed) throw CarrierError.notSubmitted();
    };
    let outcome: Outcome;
    let retryAfter: number | null = null;
    try {
      const answer = await requestUnlessWithheld(message.departure, requireOpen, (beforeSend) =>
        this.#client.call({ ...call, messageId: message.id, beforeSend }),
      );
      outcome = readOutcome(answer, plan.answer);
      retryAfter = readRetryAfterMs(answer, this.#clock.now());
    } catch (error) {
      throw error instanceof CarrierError && error.answerLost ? await this.#toLostError(message, error) : error;
    }
    if (!outcome.isAccepted) {
      const error = await this.#toRefusalError(message, outcome, retryAfter);
      // The vendor splits the message, so Heliograph cannot send only the rejected parts again.
      throw outcome.isPartlyAccepted ? error.with({ retryable: false, answerLost: true }) : error;
    }
    for (const pauses of Object.values(this.#pauses)) pauses.reset(WHOLE_CARRIER);
    const carrierMessageId = this.#chooseMessageId(outcome.id, message);
    const { parts } = outcome;
    if (parts.length < 2) return { carrierMessageId };
    return toSubmission(parts.map((id, index) => ({ part: index + 1, carrierMessageId: id })));
  }

  #chooseMessageId(id: string | null, message: OutboundMessage): string {
    if (this.plan.ids === 'ours') return message.id;
    if (this.plan.ids === 'attempts') return toAttemptId(message);
    if (id !== null) return id;
    // A message that was accepted without an ID gets no receipts, but sending the message again could deliver it twice.
    this.#log.warn({ messageId: message.id }, 'the vendor accepted a message without returning an ID');
    return `none-${message.id}`;
  }

  async #toRefusalError(
    message: OutboundMessage,
    { meaning, isPartlyAccepted, ...refusal }: Extract<Outcome, { isAccepted: false }>,
    retryAfter: number | null,
  ): Promise<CarrierError> {
    const { vendor } = this.plan;
    // The error code and message are redacted, because clients see them and some vendors repeat the request in them.
    const code = vendorCode(this.#redact(refusal.code));
    const errorText = refusal.message === null ? null : this.#redact(refusal.message);
    const text = `${vendor} refused ${isPartlyAccepted ? 'a part of the message' : 'the message'} with ${code}${errorText ? `: ${errorText}` : '.'}`;
    if (meaning === 'lost') {
      const unclear = `${vendor} answered ${code}${errorText ? ` (${errorText})` : ''}; it may have accepted the message.`;
      return this.#toLostError(message, CarrierError.answerLost(unclear, { code: 'BAD_ANSWER' }));
    }
    if (meaning === 'final') return CarrierError.refused(code, text);
    if (meaning === 'again') {
      return CarrierError.refused(code, text, { retryable: true }).with({ pauseMs: retryAfter ?? 0 });
    }
    const pauseMs = this.#pauses[meaning].start(WHOLE_CARRIER, retryAfter);
    if (meaning !== 'throttled') this.#log.error({ code, words: errorText, pauseMs }, PAUSE_LOGS[meaning]);
    return CarrierError.refused(code, text, { retryable: true }).with({ pauseMs });
  }

  /** After a second lost response, the message is not sent again, because it may already have been delivered twice. */
  async #toLostError(message: OutboundMessage, error: CarrierError): Promise<CarrierError> {
    const wasLostBefore = message.attempt > 1 && (await this.#isMaybeAccepted(message.id));
    return wasLostBefore ? error.with({ retryable: false }) : error;
  }

  #requireNoPause(): void {
    if (this.#closed) throw CarrierError.notSubmitted('The carrier was closed.');
    const pause = this.#findPause();
    if (pause) throw CarrierError.throttled(pause.remainingMs, PAUSE_CODES[pause.kind], pause.text);
  }

  #findPause(): { kind: PauseKind; remainingMs: number; text: string } | null {
    for (const kind of ['credit', 'credentials', 'throttled'] as const) {
      const remainingMs = this.#pauses[kind].remainingMs(WHOLE_CARRIER);
      if (remainingMs > 0) return { kind, remainingMs, text: PAUSE_TEXTS[kind](this.plan.vendor) };
    }
    return null;
  }
}

const PAUSE_CODES: Readonly<Record<PauseKind, FailureCode>> = {
  throttled: 'THROTTLED',
  credit: 'CREDIT_GONE',
  credentials: 'CREDENTIALS_REFUSED',
};

const PAUSE_TEXTS: Readonly<Record<PauseKind, (vendor: string) => string>> = {
  throttled: (vendor) => `${vendor} is currently limiting our requests.`,
  credit: (vendor) => `The account at ${vendor} has no credit left.`,
  credentials: (vendor) => `${vendor} rejects the credentials of this carrier.`,
};

const PAUSE_LOGS: Readonly<Record<'credit' | 'credentials', string>> = {
  credit: 'the account at the vendor has no credit left; the carrier pauses and retries',
  credentials: 'the vendor rejects the credentials; the carrier pauses and retries',
};

import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import { isOver } from '../../platform/deadline.js';
import { attemptId } from '../attempt-id.js';
import type { Carrier, CarrierSinks, CarrierState, OutboundMessage, Submission } from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { CarrierContext } from '../carrier-type.js';
import { requestUnlessWithheld } from '../departure.js';
import { discardBody, type HttpAnswer } from '../http/client.js';
import { retryAfterMs } from '../http/errors.js';
import { Pace } from '../http/pace.js';
import { Pauses } from '../http/pauses.js';
import { redaction } from '../http/redaction.js';
import { Slots } from '../http/slots.js';
import { UnderWay } from '../http/under-way.js';
import type { FetchedMedia } from '../media/carrier-media.js';
import { submissionOf } from '../submission.js';
import type { TemplateChannel } from '../templates.js';
import { type Outcome, outcomeOf } from './answer/outcome.js';
import { receiptUrlOf } from './callbacks/addresses.js';
import type { Plan } from './plan.js';
import { Polling } from './polling.js';
import { variablesOf } from './request/variables.js';
import { VendorClient } from './vendor-client.js';

export const HTTP = 'http';

/** How long nothing is sent after the vendor asked for a pause, and after it said that an operator must see to it. */
const THROTTLE = { firstMs: 500, longestMs: 60_000 };
const CREDIT = { firstMs: 60_000, longestMs: 30 * 60_000 };
const CREDENTIALS = { firstMs: 15_000, longestMs: 10 * 60_000 };
const ALL = '';

type PauseKind = 'throttled' | 'credit' | 'credentials';

/** SMS by the API of a vendor over HTTP, as a plan says. */
export class HttpCarrier implements Carrier {
  readonly name: string;
  readonly type = HTTP;
  readonly ratePerSecond: number | null;
  readonly needsReferences: boolean;
  readonly plan: Plan;
  /** Only where the vendor can be asked what became of a message. */
  readonly repeatReceipts?: NonNullable<Carrier['repeatReceipts']>;
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
  readonly #underWay = new UnderWay();
  #closed = false;
  #perhapsTaken: CarrierSinks['perhapsTaken'] = async () => false;

  /** @param context its secrets stand in no error, whatever the vendor answers */
  constructor(context: Omit<CarrierContext, 'settings'> & { plan: Plan; secrets: readonly string[] }) {
    const { name, plan, secrets, log, clock, calls, privateHosts = [] } = context;
    this.name = name;
    this.plan = plan;
    this.ratePerSecond = plan.ratePerSecond;
    this.needsReferences = plan.ids === 'vendor';
    this.#log = log;
    this.#redact = redaction(secrets);
    this.#clock = clock;
    this.#client = new VendorClient({ plan, privateHosts, clock, calls });
    this.#pace = plan.ratePerSecond === null ? null : new Pace(plan.ratePerSecond);
    this.#slots = new Slots(plan.parallel);
    this.#polling = new Polling({ name, plan, log, clock, client: this.#client });
    if (this.#polling.asksForMessages) this.repeatReceipts = (messages) => this.#polling.askFor(messages);
  }

  state(): CarrierState {
    const pause = this.#pause();
    if (!pause) return { up: true };
    return { up: false, until: new Date(this.#clock.now().getTime() + pause.left), reason: pause.text };
  }

  /** Asks for what a call of the vendor needs. @throws {CarrierError} when no whole answer came */
  read(url: URL): Promise<HttpAnswer> {
    return this.#client.ask({ method: 'GET', url });
  }

  /** @param carrierMediaId the address at which the vendor hands the file out */
  async fetchMedia(_channel: TemplateChannel, carrierMediaId: string, signal: AbortSignal): Promise<FetchedMedia> {
    if (!URL.canParse(carrierMediaId)) throw CarrierError.refused('BAD_ADDRESS', 'The file has no address.');
    const { status, headers, body } = await this.#client.open(new URL(carrierMediaId), signal);
    if (status === 200) return { mimeType: headers['content-type']?.toString() ?? null, sha256: null, bytes: body };
    discardBody({ body });
    const isGone = status === 403 || status === 404 || status === 410;
    throw CarrierError.refused('BAD_ANSWER', `${this.plan.vendor} answered ${status} for the file.`, {
      retryable: !isGone,
    });
  }

  /** The moment that calls of the vendor are judged at. */
  now(): Date {
    return this.#clock.now();
  }

  window(): { size: number; inUse: number } {
    return { size: this.#slots.size, inUse: this.#slots.inUse };
  }

  async start(sinks: CarrierSinks): Promise<void> {
    this.#perhapsTaken = sinks.perhapsTaken;
    this.#polling.start(sinks);
  }

  submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    return this.#underWay.run(this.#submit(message, signal));
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#closed = true;
    // Its requests are under way too: the end of the client ends those that no vendor answers in time.
    const polled = this.#underWay.run(this.#polling.close(signal));
    await Promise.all([polled, this.#underWay.end(signal, () => this.#client.close())]);
  }

  async #submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    if (message.kind !== 'sms') throw CarrierError.refused('WRONG_KIND', 'This carrier takes SMS only.');
    this.#requireNoPause();
    if (!(await this.#slots.enter(signal))) throw CarrierError.notSubmitted();
    try {
      if (this.#pace && !(await this.#pace.turn(signal))) throw CarrierError.notSubmitted();
      this.#requireNoPause();
      return await this.#send(message, signal);
    } finally {
      this.#slots.leave();
    }
  }

  async #send(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    const { plan } = this;
    const variables = variablesOf(message, {
      now: this.#clock.now(),
      encodings: plan.encodings,
      shortestValidity: plan.shortestValidity,
      longestValidity: plan.longestValidity,
      // A vendor that ignores repeated requests must get the same URL each time.
      receiptUrl: receiptUrlOf(plan, this.name, plan.ids === 'attempts' ? attemptId(message) : message.id),
    });
    const call = await this.#client.prepare(plan.send, variables);
    // A token may have been waited for.
    const requireOpen = () => {
      if (isOver(signal) || this.#closed) throw CarrierError.notSubmitted();
    };
    let outcome: Outcome;
    let askedMs: number | null = null;
    try {
      const answer = await requestUnlessWithheld(message.departure, requireOpen, (leaving) =>
        this.#client.ask({ ...call, messageId: message.id, leaving }),
      );
      outcome = outcomeOf(answer, plan.answer);
      askedMs = retryAfterMs(answer, this.#clock.now());
    } catch (error) {
      throw error instanceof CarrierError && error.answerLost ? await this.#lost(message, error) : error;
    }
    if (!outcome.taken) {
      const error = await this.#refusal(message, outcome, askedMs);
      // Vendors that take parts by themselves cannot be sent the missing ones alone.
      throw outcome.partTaken ? error.with({ retryable: false, answerLost: true }) : error;
    }
    for (const pauses of Object.values(this.#pauses)) pauses.succeeded(ALL);
    const carrierMessageId = this.#idOf(outcome.id, message);
    const { parts } = outcome;
    if (parts.length < 2) return { carrierMessageId };
    // They may be more or fewer than ours: some vendors cut texts differently.
    return submissionOf(parts.map((id, index) => ({ part: index + 1, carrierMessageId: id })));
  }

  /** Receipts find a message by it. */
  #idOf(id: string | null, message: OutboundMessage): string {
    if (this.plan.ids === 'ours') return message.id;
    if (this.plan.ids === 'attempts') return attemptId(message);
    if (id !== null) return id;
    // It was taken: to send it again would be worse than to hear no more of it.
    this.#log.warn({ messageId: message.id }, 'a vendor took a message without giving it an id');
    return `none-${message.id}`;
  }

  async #refusal(
    message: OutboundMessage,
    { meaning, partTaken, ...said }: Extract<Outcome, { taken: false }>,
    askedMs: number | null,
  ): Promise<CarrierError> {
    const { vendor } = this.plan;
    // Clients read them, and some vendors repeat what they were sent.
    const code = this.#redact(said.code);
    const words = said.message === null ? null : this.#redact(said.message);
    const text = `${vendor} refused ${partTaken ? 'a part of the message' : 'the message'} with ${code}${words ? `: ${words}` : '.'}`;
    if (meaning === 'lost') {
      const unclear = `${vendor} answered ${code}${words ? ` (${words})` : ''}; it may have taken the message.`;
      return this.#lost(message, CarrierError.answerLost(unclear, { code: 'BAD_ANSWER' }));
    }
    if (meaning === 'final') return CarrierError.refused(code, text);
    if (meaning === 'again') {
      return CarrierError.refused(code, text, { retryable: true }).with({ pauseMs: askedMs ?? 0 });
    }
    const pauseMs = this.#pauses[meaning].begin(ALL, askedMs);
    if (meaning !== 'throttled') this.#log.error({ code, words, pauseMs }, TOLD[meaning]);
    return CarrierError.refused(code, text, { retryable: true }).with({ pauseMs });
  }

  /** A message whose answer was lost before goes out no third time: it may have come twice by now. */
  async #lost(message: OutboundMessage, error: CarrierError): Promise<CarrierError> {
    const before = message.attempt > 1 && (await this.#perhapsTaken(message.id));
    return before ? error.with({ retryable: false }) : error;
  }

  #requireNoPause(): void {
    if (this.#closed) throw CarrierError.notSubmitted('The carrier was closed.');
    const pause = this.#pause();
    if (pause) throw CarrierError.throttled(pause.left, PAUSED[pause.kind], pause.text);
  }

  #pause(): { kind: PauseKind; left: number; text: string } | null {
    for (const kind of ['credit', 'credentials', 'throttled'] as const) {
      const left = this.#pauses[kind].left(ALL);
      if (left > 0) return { kind, left, text: TEXTS[kind](this.plan.vendor) };
    }
    return null;
  }
}

const PAUSED: Readonly<Record<PauseKind, string>> = {
  throttled: 'THROTTLED',
  credit: 'CREDIT_GONE',
  credentials: 'CREDENTIALS_REFUSED',
};

const TEXTS: Readonly<Record<PauseKind, (vendor: string) => string>> = {
  throttled: (vendor) => `${vendor} limits what is sent at the moment.`,
  credit: (vendor) => `The account at ${vendor} has no credit left.`,
  credentials: (vendor) => `${vendor} refuses the credentials of this carrier.`,
};

const TOLD: Readonly<Record<'credit' | 'credentials', string>> = {
  credit: 'a vendor takes no message, for the account there has no credit left; it is tried again from time to time',
  credentials: 'a vendor refuses the credentials of a carrier; it is tried again from time to time',
};

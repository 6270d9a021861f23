import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import { isPastDeadline } from '../../platform/deadline.js';
import type { TemplateStatus } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';
import type {
  Carrier,
  CarrierSinks,
  CarrierState,
  OutboundMessage,
  Receipt,
  ReceiptStatus,
  Submission,
} from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { FailureCode } from '../failure-codes.js';
import type { FetchedMedia } from '../media/carrier-media.js';
import type { CarrierTemplate, TemplateChannel } from '../templates.js';
import { findBehavior } from './magic-numbers.js';
import { createSampleMedia, SimulatorMedia } from './media.js';
import { ReceiptTimer } from './receipt-timer.js';
import { EXAMPLE_HANDLE, reviewTemplates, SimulatorTemplates } from './templates.js';

const SMS_PREFIX = 'sim-';
/** Message IDs have the same prefix as Meta's; clients must treat the rest of an ID as opaque. */
const WHATSAPP_PREFIX = 'wamid.';

const UP: CarrierState = { up: true };

export interface SimulatorOptions {
  name: string;
  /** Milliseconds between a submission and its first receipt. */
  delayMs: number;
  /** Whether the simulator enforces Meta's 24-hour window. */
  replyWindow: boolean;
  log: Logger;
  clock: Clock;
}

/** Simulates a carrier. The recipient and the attempt number alone decide the outcome, so it is the same in every process. */
export class Simulator implements Carrier {
  /** The simulated carrier has the same name as its type. */
  static readonly carrierName = 'simulator';
  readonly name: string;
  readonly type = Simulator.carrierName;
  readonly ratePerSecond = null;
  readonly needsReferences = false;
  readonly #clock: Clock;
  readonly #timer: ReceiptTimer;
  readonly #templates = new SimulatorTemplates();
  readonly #media = new SimulatorMedia();
  readonly #replyWindow: boolean;
  #isReplyWindowOpen: NonNullable<CarrierSinks['isReplyWindowOpen']> = async () => true;
  #closed = false;

  constructor({ name, delayMs, replyWindow, log, clock }: SimulatorOptions) {
    this.name = name;
    this.#replyWindow = replyWindow;
    this.#clock = clock;
    this.#timer = new ReceiptTimer({ delayMs, log });
  }

  state(): CarrierState {
    return UP;
  }

  async submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    if (isPastDeadline(signal) || this.#closed) {
      throw CarrierError.notSubmitted('The simulator was stopped.');
    }
    if (message.content?.type === 'template') await this.#templates.requireApproved(message.channelId, message.content);
    else if (message.channelId !== null) await this.#requireReplyWindow(message);
    if (message.channelId !== null) await this.#media.requireFiles(message);
    const check = message.departure?.check();
    if (check) await check;
    const { submit } = findBehavior(message.to);
    if (submit === 'refused') {
      throw CarrierError.refused('REFUSED', 'The simulator refuses this number.');
    }
    if (submit === 'throttled-twice' && message.attempt <= 2) {
      throw CarrierError.refused('THROTTLED', 'The simulator throttles this number.', { retryable: true });
    }
    if (submit === 'answer-lost-once' && message.attempt === 1) {
      throw CarrierError.answerLost('The simulator lost its answer.');
    }
    const carrierMessageId = buildCarrierMessageId(message);
    this.#schedule(carrierMessageId, message.to);
    return { carrierMessageId };
  }

  async start({ receipts, hasTemplate, isReplyWindowOpen, media }: CarrierSinks): Promise<void> {
    if (isReplyWindowOpen) this.#isReplyWindowOpen = isReplyWindowOpen;
    this.#templates.start(hasTemplate);
    this.#media.start(media);
    this.#timer.start(receipts);
  }

  requestReceipts(messages: readonly { carrierMessageId: string; to: string }[]): void {
    for (const { carrierMessageId, to } of messages) this.#schedule(carrierMessageId, to);
  }

  async createTemplate(): Promise<{ status: TemplateStatus }> {
    return { status: 'PENDING' };
  }

  async editTemplate(): Promise<void> {}

  async deleteTemplate(): Promise<void> {}

  async uploadExample(): Promise<string> {
    return EXAMPLE_HANDLE;
  }

  async listTemplates(_channel: TemplateChannel, stored: readonly CarrierTemplate[]): Promise<CarrierTemplate[]> {
    return reviewTemplates(stored);
  }

  async fetchMedia(): Promise<FetchedMedia> {
    return createSampleMedia();
  }

  async markRead(): Promise<void> {}

  async close(): Promise<void> {
    this.#closed = true;
    await this.#timer.stop();
  }

  /** Rejects with Meta's error code if the contact did not write within the last 24 hours. */
  async #requireReplyWindow({ channelId, kind, to }: OutboundMessage): Promise<void> {
    if (!this.#replyWindow || kind !== 'whatsapp' || channelId === null) return;
    const isOpen = await this.#isReplyWindowOpen(channelId, to).catch((cause: unknown) => {
      throw CarrierError.unavailable('WINDOW_UNREADABLE', 'The simulator could not check the reply window.', { cause });
    });
    if (!isOpen) {
      throw CarrierError.refused('131047', 'Re-engagement message: the contact did not write within 24 hours.');
    }
  }

  #schedule(carrierMessageId: string, to: string): void {
    const { receipts } = findBehavior(to);
    if (receipts.length === 0) return;
    this.#timer.schedule(carrierMessageId, () => {
      const occurredAt = this.#clock.now();
      return receipts.map((status) => buildReceipt(this.name, carrierMessageId, status, occurredAt));
    });
  }
}

function buildReceipt(carrier: string, carrierMessageId: string, status: ReceiptStatus, occurredAt: Date): Receipt {
  return {
    carrier,
    carrierMessageId,
    messageId: parseMessageId(carrierMessageId),
    status,
    occurredAt,
    ...(status === 'undelivered' && {
      errorCode: 'UNREACHABLE' satisfies FailureCode,
      errorMessage: 'The simulator could not reach the recipient.',
    }),
    ...(status === 'expired' && {
      errorCode: 'EXPIRED' satisfies FailureCode,
      errorMessage: 'The simulator let the message expire.',
    }),
  };
}

export function buildCarrierMessageId(message: Pick<OutboundMessage, 'id' | 'kind'>): string {
  if (message.kind === 'sms') return SMS_PREFIX + message.id;
  return WHATSAPP_PREFIX + Buffer.from(message.id.replaceAll('-', ''), 'hex').toString('base64');
}

export function parseMessageId(carrierMessageId: string): string | undefined {
  if (carrierMessageId.startsWith(SMS_PREFIX)) return carrierMessageId.slice(SMS_PREFIX.length);
  const hex = Buffer.from(carrierMessageId.slice(WHATSAPP_PREFIX.length), 'base64').toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isUuid(id) ? id : undefined;
}

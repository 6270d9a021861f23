import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import { isOver } from '../../platform/deadline.js';
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
import type { FetchedMedia } from '../media/carrier-media.js';
import type { CarrierTemplate, TemplateChannel } from '../templates.js';
import { behaviourOf } from './magic-numbers.js';
import { SimulatorMedia, sampleMedia } from './media.js';
import { ReceiptTimer } from './receipt-timer.js';
import { decideTemplates, SIMULATED_EXAMPLE, SimulatorTemplates } from './templates.js';

const SMS_PREFIX = 'sim-';
/** WhatsApp's ids begin so; what follows is opaque to clients. */
const WHATSAPP_PREFIX = 'wamid.';

const UP: CarrierState = { up: true };

export interface SimulatorOptions {
  /** By which channels, routes and messages name it. */
  name: string;
  /** Milliseconds from a submission to its first receipt. */
  delayMs: number;
  /** Whether it applies Meta's rule of 24 hours to WhatsApp. */
  replyWindow: boolean;
  log: Logger;
  clock: Clock;
}

/**
 * The carrier that needs no contract: it takes messages at once and reports on them through the same path as a real
 * one. Its behaviour follows from the recipient and the attempt alone, so it is the same in every process.
 */
export class Simulator implements Carrier {
  /** Its type, and the name of the one that is built in. */
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
    if (isOver(signal) || this.#closed) {
      throw CarrierError.notSubmitted('The simulator was stopped.');
    }
    if (message.content?.type === 'template') await this.#templates.require(message.channelId, message.content);
    else await this.#requireReplyWindow(message);
    await this.#media.require(message);
    await message.departure?.check();
    const { submit } = behaviourOf(message.to);
    if (submit === 'refused') {
      throw CarrierError.refused('REFUSED', 'The simulator refuses this number.');
    }
    if (submit === 'throttled-twice' && message.attempt <= 2) {
      throw CarrierError.refused('THROTTLED', 'The simulator throttles this number.', { retryable: true });
    }
    if (submit === 'answer-lost-once' && message.attempt === 1) {
      throw CarrierError.answerLost('The answer of the simulator was lost.');
    }
    const carrierMessageId = carrierIdOf(message);
    this.#schedule(carrierMessageId, message.to);
    return { carrierMessageId };
  }

  async start({ receipts, hasTemplate, isReplyWindowOpen, media }: CarrierSinks): Promise<void> {
    if (isReplyWindowOpen) this.#isReplyWindowOpen = isReplyWindowOpen;
    this.#templates.start(hasTemplate);
    this.#media.start(media);
    this.#timer.start(receipts);
  }

  repeatReceipts(messages: readonly { carrierMessageId: string; to: string }[]): void {
    for (const { carrierMessageId, to } of messages) this.#schedule(carrierMessageId, to);
  }

  async createTemplate(): Promise<{ status: TemplateStatus }> {
    return { status: 'PENDING' };
  }

  /** What is held is what the server keeps; it decides about the edited ones at the next list. */
  async editTemplate(): Promise<void> {}

  async deleteTemplate(): Promise<void> {}

  /** Nobody reviews it. */
  async uploadExample(): Promise<string> {
    return SIMULATED_EXAMPLE;
  }

  async listTemplates(_channel: TemplateChannel, held: readonly CarrierTemplate[]): Promise<CarrierTemplate[]> {
    return decideTemplates(held);
  }

  /** Its contacts send one picture, whatever they call it. */
  async fetchMedia(): Promise<FetchedMedia> {
    return sampleMedia();
  }

  /** Nobody is there to see it. */
  async markRead(): Promise<void> {}

  async close(): Promise<void> {
    this.#closed = true;
    await this.#timer.stop();
  }

  /** @throws {CarrierError} with Meta's code when free text may not be sent to the contact now */
  async #requireReplyWindow({ channelId, kind, to }: OutboundMessage): Promise<void> {
    if (!this.#replyWindow || kind !== 'whatsapp' || channelId === null) return;
    const isOpen = await this.#isReplyWindowOpen(channelId, to).catch((cause: unknown) => {
      throw CarrierError.unavailable('WINDOW_UNREADABLE', 'The reply window cannot be read.', { cause });
    });
    if (!isOpen) {
      throw CarrierError.refused('131047', 'Re-engagement message: the contact did not write within 24 hours.');
    }
  }

  #schedule(carrierMessageId: string, to: string): void {
    const { receipts } = behaviourOf(to);
    if (receipts.length === 0) return;
    this.#timer.schedule(carrierMessageId, () => {
      const occurredAt = this.#clock.now();
      return receipts.map((status) => receipt(this.name, carrierMessageId, status, occurredAt));
    });
  }
}

function receipt(carrier: string, carrierMessageId: string, status: ReceiptStatus, occurredAt: Date): Receipt {
  return {
    carrier,
    carrierMessageId,
    messageId: messageIdOf(carrierMessageId),
    status,
    occurredAt,
    ...(status === 'undelivered' && { errorCode: 'UNREACHABLE', errorMessage: 'The simulator could not reach it.' }),
    ...(status === 'expired' && { errorCode: 'EXPIRED', errorMessage: 'The simulator let it expire.' }),
  };
}

/** The simulator's id of a message, from which ours can be read again. */
export function carrierIdOf(message: Pick<OutboundMessage, 'id' | 'kind'>): string {
  if (message.kind === 'sms') return SMS_PREFIX + message.id;
  return WHATSAPP_PREFIX + Buffer.from(message.id.replaceAll('-', ''), 'hex').toString('base64');
}

/** Our id of a message from the simulator's; undefined when the simulator did not make it. */
export function messageIdOf(carrierMessageId: string): string | undefined {
  if (carrierMessageId.startsWith(SMS_PREFIX)) return carrierMessageId.slice(SMS_PREFIX.length);
  const hex = Buffer.from(carrierMessageId.slice(WHATSAPP_PREFIX.length), 'base64').toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isUuid(id) ? id : undefined;
}

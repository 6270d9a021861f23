import { setTimeout as pause } from 'node:timers/promises';
import { GroupCommit } from '../../../platform/group-commit.js';
import { newId } from '../../../platform/ids.js';
import type { CarrierSinks, Receipt } from '../../carrier.js';
import type { CarrierContext } from '../../carrier-type.js';
import type { InboundSms } from '../../inbound-message.js';
import type { Connection } from '../session/connection.js';
import type { SmppSettings } from '../settings.js';
import { STATUS } from '../wire/command-status.js';
import { type IncomingMessage, readMessage } from '../wire/deliver-sm.js';
import type { Pdu } from '../wire/pdu.js';
import { DoneDates } from './done-date.js';
import { identify } from './fingerprint.js';
import { readInboundText } from './inbound-text.js';
import { PatientSink } from './patient-sink.js';
import { inboundNumber } from './phone-number.js';
import { ReceiptIds } from './receipt-id.js';
import { isReceipt, parseReceipt, type SmscReceipt } from './receipt-parser.js';
import { Repetitions } from './repetitions.js';

/** Messages and receipts of the SMSC that may be unanswered; beyond it they are refused, to be sent again later. */
const MAX_UNANSWERED = 5_000;

/** When the id of what may be a receipt is looked for: it may overtake the response that gives it. */
const OVERTAKING_MS = [0, 250, 1_000, 3_000];

/** The longest id or state that the log shows: an id has at most 64 characters (SMPP 3.4 §5.2.23). */
const SHOWN_CHARACTERS = 64;
const NOTHING_SAID = 'a receipt of the SMSC names no message or no state';
const UNKNOWN_STATE = 'a receipt of the SMSC names a state that is not known; its message stays as it is';

export interface DeliveriesOptions extends Omit<CarrierContext<SmppSettings>, 'calls'> {
  sinks: CarrierSinks;
}

/**
 * Takes what an SMSC delivers: receipts and messages of telephones. Each is answered once its sink has stored it, never
 * before; what comes while a sink is at work goes to it together.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #receipts: PatientSink<Receipt>;
  readonly #inbound: PatientSink<InboundSms>;
  /** Ids of messages whose answers were given; a repetition after a kill is told from them no more. */
  readonly #answered: GroupCommit<string, void>;
  readonly #repetitions = new Repetitions();
  readonly #ids: ReceiptIds;
  readonly #doneDates: DoneDates | null;
  #unanswered = 0;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    const { sinks, settings, log } = options;
    this.#ids = new ReceiptIds(settings);
    this.#doneDates = settings.receiptTimeZone ? new DoneDates(settings.receiptTimeZone) : null;
    this.#receipts = new PatientSink((receipts) => sinks.receipts(receipts), { log, maxWaiting: MAX_UNANSWERED });
    this.#answered = new GroupCommit({ commit: (ids) => this.#tellAnswered(ids), batchWeight: 1_000 });
    this.#inbound = new PatientSink((messages) => sinks.inbound(messages), { log, maxWaiting: MAX_UNANSWERED });
  }

  /** Takes a deliver_sm or data_sm and answers it. */
  receive(pdu: Pdu, connection: Connection): void {
    const answer = (status: number) => connection.respond(pdu, status);
    let message: IncomingMessage;
    try {
      message = readMessage(pdu);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the SMSC delivered what cannot be read');
      answer(STATUS.ESME_RX_P_APPN);
      return;
    }
    if (this.#unanswered >= MAX_UNANSWERED) {
      answer(STATUS.ESME_RMSGQFUL);
      return;
    }
    this.#unanswered += 1;
    void this.#take(message, connection, answer).finally(() => {
      this.#unanswered -= 1;
    });
  }

  async #take(message: IncomingMessage, connection: Connection, answer: (status: number) => void): Promise<void> {
    let isOne: boolean;
    try {
      isOne = await this.#isReceipt(message);
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        'what may be a receipt could not be looked up; the SMSC is to send it again',
      );
      answer(STATUS.ESME_RX_T_APPN);
      return;
    }
    if (isOne) answer(await this.#takeReceipt(message));
    else await this.#takeInbound(message, connection, answer);
  }

  /**
   * Whether a message is a receipt. One that its text alone calls so (SMPP 3.4, Appendix B) is one of a message that was sent; what a
   * person writes is never taken for one else.
   */
  async #isReceipt(message: IncomingMessage): Promise<boolean> {
    const { name, settings, sinks } = this.#options;
    const isOne = isReceipt(message);
    if (isOne !== 'perhaps' || settings.receiptsWithoutClass) return isOne !== false;
    const carrierMessageId = this.#ids.read(parseReceipt(message).ids);
    if (carrierMessageId === null) return false;
    for (const pauseMs of OVERTAKING_MS) {
      if (pauseMs > 0) await pause(pauseMs, undefined, { ref: false });
      if (await sinks.isSent(name, carrierMessageId)) return true;
    }
    return false;
  }

  /** Resolves once all that was answered is noted. */
  idle(): Promise<void> {
    return this.#answered.idle();
  }

  /** A connection ended: what it delivered last may come again. */
  ended(connection: Connection): void {
    this.#repetitions.ended(connection, performance.now());
  }

  /** Resolves with the status to answer with. */
  async #takeReceipt(message: IncomingMessage): Promise<number> {
    const { log } = this.#options;
    const receipt = parseReceipt(message);
    const { ids, state, status, errorCode } = receipt;
    const carrierMessageId = this.#ids.read(ids);
    // To refuse one that says nothing would only bring it again.
    if (carrierMessageId === null || state === null || !receipt.isKnown) {
      const said = { esmClass: message.esmClass, state: shown(state), tlvId: shown(ids.tlv), textId: shown(ids.text) };
      log.warn(said, carrierMessageId === null || state === null ? NOTHING_SAID : UNKNOWN_STATE);
      return STATUS.ESME_ROK;
    }
    if (!status) {
      log.debug({ state, carrierMessageId }, 'an intermediate receipt');
      return STATUS.ESME_ROK;
    }
    const stored = await this.#receipts.store({
      carrier: this.#options.name,
      carrierMessageId,
      status,
      occurredAt: this.#timeOf(receipt),
      ...(status !== 'delivered' && {
        errorCode: errorCode ?? state,
        errorMessage: `The SMSC reports ${state}${errorCode ? `, error ${errorCode}` : ''}.`,
      }),
    });
    return stored ? STATUS.ESME_ROK : STATUS.ESME_RX_T_APPN;
  }

  async #takeInbound(
    message: IncomingMessage,
    connection: Connection,
    answer: (status: number) => void,
  ): Promise<void> {
    const { name, settings, clock } = this.#options;
    const from = inboundNumber(message.source, message.sourceTon, settings);
    const to = inboundNumber(message.destination, message.destinationTon, settings);
    const { text, isBinary, concatenation } = readInboundText(message, settings.inboundAlphabet);
    const { fingerprint, id } = identify(message);
    const arrival = this.#repetitions.arrive(fingerprint, connection, performance.now(), () => id ?? newId());
    if (!arrival.stored) {
      arrival.stored = await this.#inbound.store({
        carrier: name,
        carrierMessageId: arrival.id,
        from: from.number,
        ...(from.isNational && { isNational: true }),
        to: to.isNational ? message.destination.trim() : to.number,
        body: text,
        ...(isBinary && { isBinary: true }),
        receivedAt: clock.now(),
        ...(id === null && { fingerprint }),
        ...(concatenation && { concatenation }),
      });
    }
    arrival.answeredAt = performance.now();
    answer(arrival.stored ? STATUS.ESME_ROK : STATUS.ESME_RX_T_APPN);
    // Without a connection there was no answer: it comes again.
    if (arrival.stored && id === null && connection.isOpen) await this.#answered.add(arrival.id);
  }

  /** What cannot be told now is forgotten in time. */
  async #tellAnswered(ids: readonly string[]): Promise<undefined[]> {
    const { sinks, log } = this.#options;
    await sinks.answered(ids).catch((error) => log.warn({ err: error }, 'answered messages could not be noted'));
    return ids.map(() => undefined);
  }

  /** The done date where the operator said in which zone it is; never ahead of our clock. */
  #timeOf({ doneDate }: SmscReceipt): Date {
    const now = this.#options.clock.now();
    const done = doneDate && this.#doneDates?.read(doneDate);
    return done && done < now ? done : now;
  }
}

/** A word of a receipt as the log may hold it. */
function shown(word: string | null): string | null {
  return word?.slice(0, SHOWN_CHARACTERS) ?? null;
}

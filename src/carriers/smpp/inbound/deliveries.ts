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
import { type Arrival, Repetitions } from './repetitions.js';

/** Messages and receipts of the SMSC that may be unanswered; beyond it they are refused, to be sent again later. */
const MAX_UNANSWERED = 5_000;

/** When the id of what may be a receipt is looked for: it may overtake the response that gives it. */
const OVERTAKING_MS = [0, 250, 1_000, 3_000];

/** Digits that tell a number, at the least. */
const SHORTEST_NUMBER = 6;

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
    void this.#take(message, connection, answer)
      .catch((error: unknown) => {
        // Nothing was stored, so the SMSC is to send it again.
        this.#options.log.error({ err: error }, 'what the SMSC delivered could not be taken');
        answer(STATUS.ESME_RX_T_APPN);
      })
      .finally(() => {
        this.#unanswered -= 1;
      });
  }

  async #take(message: IncomingMessage, connection: Connection, answer: (status: number) => void): Promise<void> {
    const isOne = isReceipt(message);
    if (isOne === true) return answer(await this.#takeReceipt(message));
    // Before anything is waited for: once its connection has ended it may come again.
    const arrival = this.#arrive(message, connection);
    try {
      if (isOne === 'perhaps' && (await this.#isOfSent(message))) {
        this.#repetitions.drop(arrival);
        return answer(await this.#takeReceipt(message));
      }
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        'what may be a receipt could not be looked up; the SMSC is to send it again',
      );
      arrival.answeredAt = performance.now();
      return answer(STATUS.ESME_RX_T_APPN);
    }
    await this.#takeInbound(message, arrival, connection, answer);
  }

  #arrive(message: IncomingMessage, connection: Connection): Arrival {
    const { fingerprint, id } = identify(message);
    return this.#repetitions.arrive(fingerprint, connection, performance.now(), () => id ?? newId());
  }

  /**
   * Whether what its text alone calls a receipt (SMPP 3.4, Appendix B) is one: of a message that was sent, to the number that it names.
   * A telephone can write any text, and guess ids that an SMSC counts up, but not with the number of another.
   */
  async #isOfSent(message: IncomingMessage): Promise<boolean> {
    const { name, settings, sinks } = this.#options;
    if (settings.receiptsWithoutClass) return true;
    const carrierMessageId = this.#ids.read(parseReceipt(message).ids);
    if (carrierMessageId === null) return false;
    for (const pauseMs of OVERTAKING_MS) {
      if (pauseMs > 0) await pause(pauseMs, undefined, { ref: false });
      const recipients = await sinks.recipientsOf(name, carrierMessageId);
      if (recipients.length > 0) return recipients.some((digits) => names(message, digits));
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
    arrival: Arrival,
    connection: Connection,
    answer: (status: number) => void,
  ): Promise<void> {
    const { name, settings, clock } = this.#options;
    const from = inboundNumber(message.source, message.sourceTon, settings);
    const to = inboundNumber(message.destination, message.destinationTon, settings);
    const { text, isBinary, concatenation, encoded } = readInboundText(message, settings.inboundAlphabet);
    const { fingerprint, id } = identify(message);
    if (!arrival.stored) {
      arrival.stored = await this.#inbound.store({
        carrier: name,
        carrierMessageId: arrival.id,
        from: from.number,
        ...(from.isNational && { isNational: true }),
        to: to.number,
        body: text,
        ...(isBinary && { isBinary: true }),
        receivedAt: clock.now(),
        ...(id === null && { fingerprint }),
        ...(concatenation && { concatenation }),
        ...(encoded && { encoded }),
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

/**
 * Whether a message names a number, as its sender or, of an SMSC that leaves the addresses of a receipt as they were, as its recipient: in
 * whatever form, for its last digits tell.
 * @param digits with country code; no more than that, or nothing, where an erased one is not told any more
 */
function names({ source, destination }: IncomingMessage, digits: string): boolean {
  const isIt = (address: string) => {
    const national = address.replace(/\D/g, '').replace(/^0+/, '');
    return national.length >= SHORTEST_NUMBER && digits.endsWith(national);
  };
  return digits.length < SHORTEST_NUMBER || isIt(source) || isIt(destination);
}

/** A word of a receipt as the log may hold it. */
function shown(word: string | null): string | null {
  return word?.slice(0, SHOWN_CHARACTERS) ?? null;
}

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
import { DoneDateParser } from './done-date.js';
import { fingerprintMessage } from './fingerprint.js';
import { readInboundText } from './inbound-text.js';
import { normalizeInboundNumber } from './phone-number.js';
import { ReceiptIdReader } from './receipt-id.js';
import { isReceipt, parseReceipt, type SmscReceipt } from './receipt-parser.js';
import { type Arrival, Repetitions } from './repetitions.js';
import { RetryingSink } from './retrying-sink.js';

/** Beyond this number of unanswered PDUs, the carrier responds with ESME_RMSGQFUL, and the SMSC retries later. */
const MAX_UNANSWERED = 5_000;

/** The lookup is retried, because a receipt can overtake the submit_sm_resp that contains its ID. */
const LOOKUP_DELAYS_MS = [0, 250, 1_000, 3_000];

/** Minimum number of digits that identify a phone number. */
const MIN_NUMBER_DIGITS = 6;

/** A valid message_id has at most 64 characters (SMPP 3.4 §5.2.23). */
const MAX_LOGGED_CHARACTERS = 64;
const INCOMPLETE_RECEIPT = 'ignored a receipt without a message ID or a state';
const UNKNOWN_STATE = 'ignored a receipt with an unknown state; the message status is unchanged';

export interface DeliveryHandlerOptions extends Omit<CarrierContext<SmppSettings>, 'calls'> {
  sinks: CarrierSinks;
}

/** Receives messages and receipts from an SMSC, and responds only after they are stored. */
export class DeliveryHandler {
  readonly #options: DeliveryHandlerOptions;
  readonly #receipts: RetryingSink<Receipt>;
  readonly #inbound: RetryingSink<InboundSms>;
  /**
   * Responses to record. Until a response is recorded, a message that is repeated after a crash is recognized by its
   * fingerprint.
   */
  readonly #answeredIds: GroupCommit<string, void>;
  readonly #repetitions = new Repetitions();
  readonly #idReader: ReceiptIdReader;
  readonly #doneDates: DoneDateParser | null;
  #unanswered = 0;

  constructor(options: DeliveryHandlerOptions) {
    this.#options = options;
    const { sinks, settings, log } = options;
    this.#idReader = new ReceiptIdReader(settings);
    this.#doneDates = settings.receiptTimeZone ? new DoneDateParser(settings.receiptTimeZone) : null;
    this.#receipts = new RetryingSink((receipts) => sinks.receipts(receipts), { log, maxWaiting: MAX_UNANSWERED });
    this.#answeredIds = new GroupCommit({ commit: (ids) => this.#recordAnswered(ids), batchWeight: 1_000 });
    this.#inbound = new RetryingSink((messages) => sinks.inbound(messages), { log, maxWaiting: MAX_UNANSWERED });
  }

  receive(pdu: Pdu, connection: Connection): void {
    const respond = (status: number) => connection.respond(pdu, status);
    let message: IncomingMessage;
    try {
      message = readMessage(pdu);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'refused a message from the SMSC that cannot be parsed');
      respond(STATUS.ESME_RX_P_APPN);
      return;
    }
    if (this.#unanswered >= MAX_UNANSWERED) {
      respond(STATUS.ESME_RMSGQFUL);
      return;
    }
    this.#unanswered += 1;
    void this.#handle(message, connection, respond)
      .catch((error: unknown) => {
        // After this error nothing is stored, so the SMSC must deliver the message again.
        this.#options.log.error(
          { err: error },
          'a message from the SMSC could not be processed; asked the SMSC to deliver it again',
        );
        respond(STATUS.ESME_RX_T_APPN);
      })
      .finally(() => {
        this.#unanswered -= 1;
      });
  }

  async #handle(message: IncomingMessage, connection: Connection, respond: (status: number) => void): Promise<void> {
    const receiptCheck = isReceipt(message);
    if (receiptCheck === true) return respond(await this.#handleReceipt(message));
    // The message must be registered before the first await, because the SMSC may deliver it again once the connection has
    // ended.
    const arrival = this.#register(message, connection);
    try {
      if (receiptCheck === 'perhaps' && (await this.#isReceiptOfSentMessage(message))) {
        this.#repetitions.forget(arrival);
        return respond(await this.#handleReceipt(message));
      }
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        'a possible receipt could not be looked up; asked the SMSC to deliver it again',
      );
      arrival.answeredAt = performance.now();
      return respond(STATUS.ESME_RX_T_APPN);
    }
    await this.#handleInbound(message, arrival, connection, respond);
  }

  #register(message: IncomingMessage, connection: Connection): Arrival {
    const { fingerprint, id } = fingerprintMessage(message);
    return this.#repetitions.register(fingerprint, connection, performance.now(), () => id ?? newId());
  }

  /**
   * Checks a message whose text alone marks it as a receipt (SMPP 3.4, Appendix B). The sender is checked, because a phone can
   * send any text and guess message IDs, but cannot send from another phone's number.
   */
  async #isReceiptOfSentMessage(message: IncomingMessage): Promise<boolean> {
    const { name, settings, sinks } = this.#options;
    if (settings.receiptsWithoutClass) return true;
    const carrierMessageId = this.#idReader.read(parseReceipt(message).ids);
    if (carrierMessageId === null) return false;
    for (const pauseMs of LOOKUP_DELAYS_MS) {
      if (pauseMs > 0) await pause(pauseMs, undefined, { ref: false });
      const recipients = await sinks.findRecipients(name, carrierMessageId);
      if (recipients.length > 0) return recipients.some((digits) => mentionsNumber(message, digits));
    }
    return false;
  }

  waitUntilIdle(): Promise<void> {
    return this.#answeredIds.waitUntilIdle();
  }

  handleConnectionEnd(connection: Connection): void {
    this.#repetitions.handleConnectionEnd(connection, performance.now());
  }

  /** Returns the command_status to respond with. */
  async #handleReceipt(message: IncomingMessage): Promise<number> {
    const { log } = this.#options;
    const receipt = parseReceipt(message);
    const { ids, state, status, errorCode } = receipt;
    const carrierMessageId = this.#idReader.read(ids);
    // An unusable receipt is acknowledged too, because a refusal would only make the SMSC deliver the receipt again.
    if (carrierMessageId === null || state === null || !receipt.isKnown) {
      const details = {
        esmClass: message.esmClass,
        state: truncate(state),
        tlvId: truncate(ids.tlv),
        textId: truncate(ids.text),
      };
      log.warn(details, carrierMessageId === null || state === null ? INCOMPLETE_RECEIPT : UNKNOWN_STATE);
      return STATUS.ESME_ROK;
    }
    if (!status) {
      log.debug({ state, carrierMessageId }, 'ignored an intermediate receipt');
      return STATUS.ESME_ROK;
    }
    const isStored = await this.#receipts.store({
      carrier: this.#options.name,
      carrierMessageId,
      status,
      occurredAt: this.#chooseOccurredAt(receipt),
      ...(status !== 'delivered' && {
        errorCode: errorCode ?? state,
        errorMessage: `The SMSC reports ${state}${errorCode ? `, error ${errorCode}` : ''}.`,
      }),
    });
    return isStored ? STATUS.ESME_ROK : STATUS.ESME_RX_T_APPN;
  }

  async #handleInbound(
    message: IncomingMessage,
    arrival: Arrival,
    connection: Connection,
    respond: (status: number) => void,
  ): Promise<void> {
    const { name, settings, clock } = this.#options;
    const from = normalizeInboundNumber(message.source, message.sourceTon, settings);
    const to = normalizeInboundNumber(message.destination, message.destinationTon, settings);
    const { text, isBinary, concatenation, encoded } = readInboundText(message, settings.inboundAlphabet);
    const { fingerprint, id } = fingerprintMessage(message);
    if (!arrival.isStored) {
      arrival.isStored = await this.#inbound.store({
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
    respond(arrival.isStored ? STATUS.ESME_ROK : STATUS.ESME_RX_T_APPN);
    // If the connection has ended, no response was sent, and the SMSC will deliver the message again.
    if (arrival.isStored && id === null && connection.isOpen) await this.#answeredIds.add(arrival.id);
  }

  async #recordAnswered(ids: readonly string[]): Promise<undefined[]> {
    const { sinks, log } = this.#options;
    await sinks.acknowledged(ids).catch((error) => log.warn({ err: error }, 'answered messages could not be recorded'));
    return ids.map(() => undefined);
  }

  /** Uses the done date of the receipt if the SMSC's time zone is configured and the date is not in the future. */
  #chooseOccurredAt({ doneDate }: SmscReceipt): Date {
    const now = this.#options.clock.now();
    const doneAt = doneDate && this.#doneDates?.parse(doneDate);
    return doneAt && doneAt < now ? doneAt : now;
  }
}

/**
 * Some SMSCs swap the addresses in receipts. Addresses may be in national form, so only trailing digits are compared.
 * For an erased person, any address matches.
 */
function mentionsNumber({ source, destination }: IncomingMessage, digits: string): boolean {
  const matches = (address: string) => {
    const national = address.replace(/\D/g, '').replace(/^0+/, '');
    return national.length >= MIN_NUMBER_DIGITS && digits.endsWith(national);
  };
  return digits.length < MIN_NUMBER_DIGITS || matches(source) || matches(destination);
}

function truncate(value: string | null): string | null {
  return value?.slice(0, MAX_LOGGED_CHARACTERS) ?? null;
}

import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import type {
  AcceptedPart,
  Carrier,
  CarrierConnection,
  CarrierSinks,
  CarrierState,
  OutboundMessage,
  Submission,
} from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { CarrierContext } from '../carrier-type.js';
import { submissionOf } from '../submission.js';
import { Deliveries } from './inbound/deliveries.js';
import { Bind } from './session/bind.js';
import { NoResponseError } from './session/connection.js';
import { Dispatcher, type QueuedSubmit } from './session/dispatcher.js';
import { messageToSubmits, validityPeriod } from './session/message-to-submits.js';
import { type BindRole, rolesFor } from './session/roles.js';
import { answerLost, notStarted, refused } from './session/submit-error.js';
import { retryStatuses, type SmppSettings } from './settings.js';
import { STATUS } from './wire/command-status.js';
import { normaliseMessageId } from './wire/message-id.js';
import { readMessageId, type SubmitSm } from './wire/submit-sm.js';

/** A carrier that speaks SMPP 3.4 with an SMSC. */
export class SmppCarrier implements Carrier {
  readonly name: string;
  readonly type = 'smpp';
  readonly ratePerSecond: number | null;
  readonly needsReferences = true;
  readonly #settings: SmppSettings;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #furtherRetries: readonly number[];
  readonly #receivesOnly: boolean;
  #binds: readonly Bind[] = [];
  #dispatcher: Dispatcher | null = null;
  #deliveries: Deliveries | null = null;

  constructor({ name, settings, log, clock, receivesOnly = false }: Omit<CarrierContext<SmppSettings>, 'calls'>) {
    this.name = name;
    this.#settings = settings;
    this.#log = log;
    this.#clock = clock;
    this.#furtherRetries = retryStatuses(settings);
    this.#receivesOnly = receivesOnly;
    this.ratePerSecond = settings.ratePerSecond > 0 ? settings.ratePerSecond * settings.binds : null;
  }

  state(): CarrierState {
    return this.#dispatcher?.state(this.#clock.now()) ?? { up: false, reason: 'it was not started' };
  }

  connections(): CarrierConnection[] {
    const counts = new Map<BindRole, number>();
    return this.#binds.map((bind) => {
      const count = (counts.get(bind.role) ?? 0) + 1;
      counts.set(bind.role, count);
      return { name: `${bind.role} ${count}`, sends: bind.role !== 'receiver', ...bind.status() };
    });
  }

  window(): { size: number; inUse: number } {
    const sending = this.#binds.filter((bind) => bind.role !== 'receiver' && bind.status().isUp);
    const inUse = sending.reduce((sum, { pacer }) => sum + pacer.inFlight, 0);
    return { size: sending.length * this.#settings.window, inUse };
  }

  /** The parts go out one after the other, so that none follows one that was refused. */
  async submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    const submits = messageToSubmits(message, this.#settings);
    const accepted = new Map(message.acceptedParts.map(({ part, carrierMessageId }) => [part, carrierMessageId]));
    for (const [index, fields] of submits.entries()) {
      const part = index + 1;
      if (accepted.has(part)) continue;
      try {
        const queued = { fields: () => this.#withValidity(fields, message), signal, departure: message.departure };
        accepted.set(part, await this.#submitPart(queued, `${message.id}-${part}`));
      } catch (error) {
        if (!(error instanceof CarrierError) || accepted.size === 0) throw error;
        const someLeft = accepted.size > message.acceptedParts.length;
        throw error.with({ acceptedParts: inOrder(accepted), notTried: error.notTried && !someLeft });
      }
    }
    return submissionOf(inOrder(accepted));
  }

  async start(sinks: CarrierSinks): Promise<void> {
    const context = { name: this.name, settings: this.#settings, log: this.#log, clock: this.#clock };
    const deliveries = new Deliveries({ ...context, sinks });
    this.#deliveries = deliveries;
    const make = (role: BindRole) =>
      new Bind({
        role,
        settings: this.#settings,
        log: this.#log,
        clock: this.#clock,
        onMessage: (pdu, connection) => deliveries.receive(pdu, connection),
        onChange: () => this.#dispatcher?.dispatch(),
        onEnd: (connection) => deliveries.ended(connection),
      });
    const roles = rolesFor(this.#settings.bindType, this.#receivesOnly);
    this.#binds = Array.from({ length: this.#settings.binds }, () => roles.map(make)).flat();
    this.#dispatcher = new Dispatcher(this.#binds.filter(({ role }) => role !== 'receiver'));
    for (const bind of this.#binds) bind.start();
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#dispatcher?.close();
    await Promise.all(this.#binds.map((bind) => bind.close(signal)));
    await this.#deliveries?.idle();
  }

  /** The validity is what is left of it when the submit leaves. */
  #withValidity(fields: Omit<SubmitSm, 'validityPeriod'>, { validUntil }: OutboundMessage): SubmitSm {
    const { validityPeriod: form } = this.#settings;
    return { ...fields, validityPeriod: validityPeriod(validUntil, this.#clock.now(), form) };
  }

  /** Resolves with the id that the SMSC gave. */
  async #submitPart(submit: QueuedSubmit, idWithout: string): Promise<string> {
    if (!this.#dispatcher) throw notStarted();
    try {
      const response = await this.#dispatcher.send(submit);
      if (response.status !== STATUS.ESME_ROK) throw refused(response.status, this.#furtherRetries);
      const id = normaliseMessageId(readMessageId(response), this.#settings.responseIdFormat);
      if (id) return id;
      // Without an id no receipt will find it, but it was taken: to send it again would be worse.
      this.#log.warn('the SMSC took a message without giving it an id');
      return `none-${idWithout}`;
    } catch (error) {
      throw error instanceof NoResponseError ? answerLost(error) : error;
    }
  }
}

function inOrder(accepted: ReadonlyMap<number, string>): AcceptedPart[] {
  return [...accepted].map(([part, carrierMessageId]) => ({ part, carrierMessageId })).sort((a, b) => a.part - b.part);
}

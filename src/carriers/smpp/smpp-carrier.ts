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
import { toSubmission } from '../submission.js';
import { DeliveryHandler } from './inbound/delivery-handler.js';
import { Bind } from './session/bind.js';
import { NoResponseError } from './session/connection.js';
import { Dispatcher, type QueuedSubmit } from './session/dispatcher.js';
import { buildSubmits, formatValidityPeriod } from './session/message-to-submits.js';
import { type BindRole, selectRoles } from './session/roles.js';
import { createNotStartedError, createRefusedError, createResponseLostError } from './session/submit-error.js';
import { parseRetryStatuses, type SmppSettings } from './settings.js';
import { STATUS } from './wire/command-status.js';
import { normalizeMessageId } from './wire/message-id.js';
import { readMessageId, type SubmitSm } from './wire/submit-sm.js';

export class SmppCarrier implements Carrier {
  readonly name: string;
  readonly type = 'smpp';
  readonly ratePerSecond: number | null;
  readonly needsReferences = true;
  readonly #settings: SmppSettings;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #extraRetryStatuses: readonly number[];
  readonly #receivesOnly: boolean;
  #binds: readonly Bind[] = [];
  #dispatcher: Dispatcher | null = null;
  #deliveries: DeliveryHandler | null = null;

  constructor({ name, settings, log, clock, receivesOnly = false }: Omit<CarrierContext<SmppSettings>, 'calls'>) {
    this.name = name;
    this.#settings = settings;
    this.#log = log;
    this.#clock = clock;
    this.#extraRetryStatuses = parseRetryStatuses(settings);
    this.#receivesOnly = receivesOnly;
    this.ratePerSecond = settings.ratePerSecond > 0 ? settings.ratePerSecond * settings.binds : null;
  }

  state(): CarrierState {
    return this.#dispatcher?.state(this.#clock.now()) ?? { up: false, reason: 'not started' };
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
    const sendingBinds = this.#binds.filter((bind) => bind.role !== 'receiver' && bind.status().isUp);
    const inUse = sendingBinds.reduce((sum, { pacer }) => sum + pacer.inFlight, 0);
    return { size: sendingBinds.length * this.#settings.window, inUse };
  }

  /** Submits the parts one after another, so that no part is sent after a refused part. */
  async submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    const submits = buildSubmits(message, this.#settings);
    const acceptedIds = new Map(message.acceptedParts.map(({ part, carrierMessageId }) => [part, carrierMessageId]));
    for (const [index, fields] of submits.entries()) {
      const part = index + 1;
      if (acceptedIds.has(part)) continue;
      try {
        const queued = { fields: () => this.#withValidity(fields, message), signal, departure: message.departure };
        acceptedIds.set(part, await this.#submitPart(queued, `${message.id}-${part}`));
      } catch (error) {
        if (!(error instanceof CarrierError) || acceptedIds.size === 0) throw error;
        const hasSentParts = acceptedIds.size > message.acceptedParts.length;
        throw error.with({ acceptedParts: sortParts(acceptedIds), notTried: error.notTried && !hasSentParts });
      }
    }
    return toSubmission(sortParts(acceptedIds));
  }

  async start(sinks: CarrierSinks): Promise<void> {
    const context = { name: this.name, settings: this.#settings, log: this.#log, clock: this.#clock };
    const deliveries = new DeliveryHandler({ ...context, sinks });
    this.#deliveries = deliveries;
    const createBind = (role: BindRole) =>
      new Bind({
        role,
        settings: this.#settings,
        log: this.#log,
        clock: this.#clock,
        onMessage: (pdu, connection) => deliveries.receive(pdu, connection),
        onChange: () => this.#dispatcher?.dispatch(),
        onEnd: (connection) => deliveries.handleConnectionEnd(connection),
      });
    const roles = selectRoles(this.#settings.bindType, this.#receivesOnly);
    this.#binds = Array.from({ length: this.#settings.binds }, () => roles.map(createBind)).flat();
    this.#dispatcher = new Dispatcher(this.#binds.filter(({ role }) => role !== 'receiver'));
    for (const bind of this.#binds) bind.start();
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#dispatcher?.close();
    await Promise.all(this.#binds.map((bind) => bind.close(signal)));
    await this.#deliveries?.waitUntilIdle();
  }

  /** The validity period is computed at send time from the remaining validity. */
  #withValidity(fields: Omit<SubmitSm, 'validityPeriod'>, { validUntil }: OutboundMessage): SubmitSm {
    const { validityPeriod: format } = this.#settings;
    return { ...fields, validityPeriod: formatValidityPeriod(validUntil, this.#clock.now(), format) };
  }

  async #submitPart(submit: QueuedSubmit, fallbackId: string): Promise<string> {
    if (!this.#dispatcher) throw createNotStartedError();
    try {
      const response = await this.#dispatcher.send(submit);
      if (response.status !== STATUS.ESME_ROK) throw createRefusedError(response.status, this.#extraRetryStatuses);
      const id = normalizeMessageId(readMessageId(response), this.#settings.responseIdFormat);
      if (id) return id;
      // Without an ID, no receipt will match the message, but sending the message again would be worse.
      this.#log.warn('the SMSC accepted a message without returning a message ID');
      return `none-${fallbackId}`;
    } catch (error) {
      throw error instanceof NoResponseError ? createResponseLostError(error) : error;
    }
  }
}

function sortParts(acceptedIds: ReadonlyMap<number, string>): AcceptedPart[] {
  return [...acceptedIds]
    .map(([part, carrierMessageId]) => ({ part, carrierMessageId }))
    .sort((a, b) => a.part - b.part);
}

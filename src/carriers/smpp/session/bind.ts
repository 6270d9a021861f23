import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs, withJitter } from '../../../platform/background/backoff.js';
import { FailureLog } from '../../../platform/log/failure-log.js';
import { waitForDoneOrAborted } from '../../../platform/on-abort.js';
import type { CarrierConnection } from '../../carrier.js';
import type { CarrierContext } from '../../carrier-type.js';
import type { SmppSettings } from '../settings.js';
import { getStatusName, isThrottling, STATUS } from '../wire/command-status.js';
import { COMMAND, isResponseTo, type Pdu } from '../wire/pdu.js';
import { type SubmitSm, writeSubmit } from '../wire/submit-sm.js';
import { sendBind } from './bind-request.js';
import { type Connection, NoResponseError } from './connection.js';
import { describeError, waitUntilIdle } from './connection-end.js';
import { openConnection } from './open-connection.js';
import { Pacer } from './pacer.js';
import type { BindRole } from './roles.js';

const UNBIND_TIMEOUT_MS = 5_000;
/**
 * How long a late response is still accepted, as a multiple of the response timeout. If late responses were ignored, a slow
 * SMSC would accept the same message again on every retry.
 */
const LATE_RESPONSE_FACTOR = 2;
/** If a bind has lasted at least this long, the next reconnect uses the shortest delay. */
const STABLE_MS = 10_000;

export interface BindOptions extends Pick<CarrierContext<SmppSettings>, 'settings' | 'log' | 'clock'> {
  role: BindRole;
  /** The handler must respond to the message. */
  onMessage(pdu: Pdu, connection: Connection): void;
  /** Called when the bind comes up or goes down, or when its window has room again. */
  onChange(): void;
  /** Called when a connection ends and messages received on it can therefore no longer be answered. */
  onEnd?(connection: Connection): void;
}

export class Bind {
  readonly role: BindRole;
  readonly pacer: Pacer;
  readonly #options: BindOptions;
  readonly #stop = new AbortController();
  readonly #timeoutMs: number;
  #connection: Connection | null = null;
  #downReason = 'not connected yet';
  #since: Date;
  #lastErrorAt: Date | null = null;
  #retryAt: number | null = null;
  #running: Promise<void> = Promise.resolve();
  #isEnquiring = false;

  constructor(options: BindOptions) {
    this.role = options.role;
    this.pacer = new Pacer(options.settings);
    this.#options = options;
    this.#since = options.clock.now();
    this.#timeoutMs = options.settings.responseTimeoutSeconds * 1000;
  }

  get isReady(): boolean {
    return this.#connection?.isOpen ?? false;
  }

  /** Shown to operators. */
  get reason(): string {
    return this.#downReason;
  }

  /** 0 during an attempt. */
  get retryInMs(): number {
    return this.#retryAt === null ? 0 : Math.max(0, this.#retryAt - performance.now());
  }

  status(): Pick<CarrierConnection, 'isUp' | 'since' | 'lastError' | 'lastErrorAt'> {
    const lastError = this.#lastErrorAt === null ? null : this.#downReason;
    return { isUp: this.isReady, since: this.#since, lastError, lastErrorAt: this.#lastErrorAt };
  }

  start(): void {
    this.#running = this.#run();
  }

  /**
   * Must be called only while the bind is `ready` and the pacer permits sending.
   * @throws {NoResponseError}
   */
  async submit(fields: SubmitSm): Promise<Pdu> {
    const connection = this.#connection;
    if (!connection) throw new NoResponseError('the bind went down', 'closed');
    const sentAt = performance.now();
    this.pacer.recordSend(sentAt);
    try {
      const response = await connection.request('submit_sm', this.#timeoutMs, writeSubmit(fields), {
        furtherMs: LATE_RESPONSE_FACTOR * this.#timeoutMs,
        onLate: () => void this.#enquire(connection),
      });
      requireSubmitResponse(response);
      if (response.status === STATUS.ESME_ROK) this.pacer.recordSuccess(performance.now());
      else if (isThrottling(response.status)) this.#slowDown(response.status, sentAt);
      else if (response.status === STATUS.ESME_RINVBNDSTS) {
        connection.destroy(new Error('the SMSC says that this connection is not bound'));
      }
      return response;
    } catch (error) {
      // After a timeout, enquire_link checks whether the SMSC still responds to other requests.
      if (error instanceof NoResponseError && error.reason === 'timeout') void this.#enquire(connection);
      throw error;
    } finally {
      this.pacer.recordEnd();
      this.#options.onChange();
    }
  }

  async close(signal: AbortSignal): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    this.#downReason = 'the carrier was closed';
    this.#stop.abort();
    if (connection) {
      await waitUntilIdle(connection, signal);
      if (!signal.aborted && connection.isOpen) {
        const timeoutMs = Math.min(this.#timeoutMs, UNBIND_TIMEOUT_MS);
        const unbindResponse = connection.request('unbind', timeoutMs).catch(() => undefined);
        await waitForDoneOrAborted(unbindResponse, signal);
      }
      connection.destroy(new Error('the carrier was closed'));
    }
    await this.#running;
  }

  #slowDown(status: number, sentAt: number): void {
    const previousPause = this.pacer.pausedUntil;
    this.pacer.recordThrottling(sentAt, performance.now());
    if (this.pacer.pausedUntil === previousPause) return;
    const ratePerSecond = Math.round(this.pacer.ratePerSecond);
    this.#options.log.warn(
      { status: getStatusName(status), ratePerSecond },
      'the SMSC is throttling; lowered the send rate',
    );
  }

  async #run(): Promise<void> {
    const { settings, log } = this.#options;
    const failureLog = new FailureLog({ log, level: 'warn', quietMs: settings.reconnectMaxSeconds * 2_000 });
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      const boundAt = await this.#connectOnce().catch((error: Error) => {
        this.#recordFailure(error);
        return null;
      });
      if (this.#stop.signal.aborted) return;
      failures = boundAt !== null && performance.now() - boundAt >= STABLE_MS ? 1 : failures + 1;
      const [firstMs, longestMs] = [settings.reconnectMinSeconds * 1_000, settings.reconnectMaxSeconds * 1_000];
      // The delay varies by ±20 %, so that binds that failed together do not all reconnect at the same moment.
      const delayMs = withJitter(backoffMs(failures, { firstMs, longestMs }), 0.2);
      this.#retryAt = performance.now() + delayMs;
      failureLog.report(this.#downReason, 'the bind to the SMSC is down', {
        role: this.role,
        retryInMs: Math.round(delayMs),
      });
      this.#options.onChange();
      await pause(delayMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      this.#retryAt = null;
    }
  }

  #recordFailure(error: Error): void {
    this.#downReason = describeError(error);
    this.#lastErrorAt = this.#options.clock.now();
  }

  /** When the connection ends, resolves to the time at which it was bound, by `performance.now()`. */
  async #connectOnce(): Promise<number> {
    const { settings, log, role } = this.#options;
    const handlers = {
      onRequest: (pdu: Pdu, from: Connection) => this.#onRequest(pdu, from),
      onLateResponse: (pdu: Pdu) =>
        log.warn({ sequence: pdu.sequence, status: pdu.status }, 'ignored a response of the SMSC that came too late'),
    };
    const connection = await openConnection(settings, handlers, this.#stop.signal);
    // After the bind, `close` waits for outstanding responses before it ends the connection.
    const destroyOnClose = () => connection.destroy(new Error('the carrier was closed'));
    try {
      this.#stop.signal.throwIfAborted();
      this.#stop.signal.addEventListener('abort', destroyOnClose, { once: true });
      const { systemId, version } = await sendBind(connection, role, settings);
      this.#stop.signal.throwIfAborted();
      this.#stop.signal.removeEventListener('abort', destroyOnClose);
      this.#connection = connection;
      this.#since = this.#options.clock.now();
      const boundAt = performance.now();
      log.info({ role, smsc: systemId, version }, 'bound to the SMSC');
      this.#options.onChange();
      const timer = this.#watchForSilence(connection);
      this.#recordFailure(await connection.closed);
      this.#since = this.#lastErrorAt as Date;
      clearInterval(timer);
      return boundAt;
    } finally {
      this.#stop.signal.removeEventListener('abort', destroyOnClose);
      if (this.#connection === connection) this.#connection = null;
      connection.destroy(new Error('the bind failed'));
      this.#options.onEnd?.(connection);
    }
  }

  /** SMPP 3.4 §4.11. */
  #watchForSilence(connection: Connection): NodeJS.Timeout {
    const silenceMs = this.#options.settings.enquireLinkSeconds * 1000;
    return setInterval(() => {
      if (performance.now() - connection.lastReceived >= silenceMs) void this.#enquire(connection);
    }, silenceMs / 2);
  }

  async #enquire(connection: Connection): Promise<void> {
    if (this.#isEnquiring || !connection.isOpen) return;
    this.#isEnquiring = true;
    try {
      await connection.request('enquire_link', this.#timeoutMs);
    } catch (error) {
      connection.destroy(new Error(`enquire_link failed: ${(error as Error).message}`));
    } finally {
      this.#isEnquiring = false;
    }
  }

  #onRequest(pdu: Pdu, connection: Connection): void {
    switch (pdu.commandId) {
      case COMMAND.deliver_sm:
      case COMMAND.data_sm:
        this.#options.onMessage(pdu, connection);
        return;
      case COMMAND.enquire_link:
        connection.respond(pdu, STATUS.ESME_ROK);
        return;
      case COMMAND.unbind:
        void this.#handleUnbind(pdu, connection);
        return;
      case COMMAND.alert_notification:
      case COMMAND.outbind:
        // These requests have no response (SMPP 3.4 §4.12.1, §4.1.7).
        return;
      default:
        connection.refuse(pdu, STATUS.ESME_RINVCMDID);
    }
  }

  async #handleUnbind(pdu: Pdu, connection: Connection): Promise<void> {
    if (this.#connection === connection) this.#connection = null;
    this.#options.onChange();
    connection.respond(pdu, STATUS.ESME_ROK);
    await waitUntilIdle(connection, AbortSignal.timeout(UNBIND_TIMEOUT_MS));
    connection.end(new Error('the SMSC unbound'));
    const timer = setTimeout(() => connection.destroy(new Error('the SMSC unbound')), UNBIND_TIMEOUT_MS);
    await connection.closed;
    clearTimeout(timer);
  }
}

/** Throws a NoResponseError if another PDU arrived, e.g. a generic_nack with status 0 (SMPP 3.4 §4.3.1). */
function requireSubmitResponse(response: Pdu): void {
  if (response.status !== STATUS.ESME_ROK || isResponseTo('submit_sm', response)) return;
  const command = `command_id 0x${response.commandId.toString(16).padStart(8, '0')}`;
  throw new NoResponseError(`received ${command} with status 0 instead of a submit_sm_resp`, 'unexpected');
}

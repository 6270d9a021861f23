import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs, withJitter } from '../../../platform/background/backoff.js';
import { SaidOnce } from '../../../platform/log/said-once.js';
import { doneOrAborted } from '../../../platform/on-abort.js';
import type { CarrierConnection } from '../../carrier.js';
import type { CarrierContext } from '../../carrier-type.js';
import type { SmppSettings } from '../settings.js';
import { asksToSlowDown, STATUS, statusName } from '../wire/command-status.js';
import { COMMAND, isResponseTo, type Pdu } from '../wire/pdu.js';
import { type SubmitSm, writeSubmit } from '../wire/submit-sm.js';
import { sendBind } from './bind-request.js';
import { type Connection, NoResponseError } from './connection.js';
import { describe, idle } from './endings.js';
import { openConnection } from './open-connection.js';
import { Pacer } from './pacer.js';
import type { BindRole } from './roles.js';

/** How long an SMSC that unbinds may take for the responses that it still owes. */
const UNBIND_PATIENCE_MS = 5_000;
/**
 * A response to a submit that is late still counts for so many times its timeout: an SMSC that is slow with all would else be
 * sent the same message again and again, and take it each time.
 */
const LATE_TIMES = 2;
/** A bind that stood this long was a good one: the next attempt follows after the shortest pause. */
const STABLE_MS = 10_000;

export interface BindOptions extends Pick<CarrierContext<SmppSettings>, 'settings' | 'log' | 'clock'> {
  role: BindRole;
  /** A message or receipt of the SMSC; it must be answered. */
  onMessage(pdu: Pdu, connection: Connection): void;
  /** It stands or fell, or has room for another submit. */
  onChange(): void;
  /** A connection ended, with all that was not provably answered on it. */
  onEnd?(connection: Connection): void;
}

/**
 * One bind to the SMSC, made again and again until it is closed: every connection is a new one, and its end is followed
 * by the next after a pause that grows.
 */
export class Bind {
  readonly role: BindRole;
  readonly pacer: Pacer;
  readonly #options: BindOptions;
  readonly #stop = new AbortController();
  readonly #timeoutMs: number;
  #connection: Connection | null = null;
  #reason = 'it has not connected yet';
  #since: Date;
  #lastErrorAt: Date | null = null;
  #retryAt: number | null = null;
  #running: Promise<void> = Promise.resolve();
  #enquiring = false;

  constructor(options: BindOptions) {
    this.role = options.role;
    this.pacer = new Pacer(options.settings);
    this.#options = options;
    this.#since = options.clock.now();
    this.#timeoutMs = options.settings.responseTimeoutSeconds * 1000;
  }

  /** Whether it is bound and takes submits. */
  get ready(): boolean {
    return this.#connection?.isOpen ?? false;
  }

  /** Why it is not ready. */
  get reason(): string {
    return this.#reason;
  }

  /** Milliseconds until the next attempt to connect; 0 while one is under way. */
  get retryInMs(): number {
    return this.#retryAt === null ? 0 : Math.max(0, this.#retryAt - performance.now());
  }

  /** For operators. */
  status(): Pick<CarrierConnection, 'isUp' | 'since' | 'lastError' | 'lastErrorAt'> {
    const lastError = this.#lastErrorAt === null ? null : this.#reason;
    return { isUp: this.ready, since: this.#since, lastError, lastErrorAt: this.#lastErrorAt };
  }

  start(): void {
    this.#running = this.#run();
  }

  /**
   * Sends one submit; only while `ready`, and when the pacer lets it go.
   * @throws {NoResponseError} when it is unknown what became of it
   */
  async submit(fields: SubmitSm): Promise<Pdu> {
    const connection = this.#connection;
    if (!connection) throw new NoResponseError('the bind fell', 'closed');
    const sentAt = performance.now();
    this.pacer.sent(sentAt);
    try {
      const response = await connection.request('submit_sm', this.#timeoutMs, writeSubmit(fields), {
        furtherMs: LATE_TIMES * this.#timeoutMs,
        // Either this one response is late, or the SMSC is gone.
        onLate: () => void this.#enquire(connection),
      });
      requireResponse(response);
      if (response.status === STATUS.ESME_ROK) this.pacer.succeeded(performance.now());
      else if (asksToSlowDown(response.status)) this.#slowDown(response.status, sentAt);
      else if (response.status === STATUS.ESME_RINVBNDSTS) {
        connection.destroy(new Error('the SMSC does not take this connection for bound'));
      }
      return response;
    } catch (error) {
      // It answered other requests since; whether it still does, the next look tells.
      if (error instanceof NoResponseError && error.reason === 'timeout') void this.#enquire(connection);
      throw error;
    } finally {
      this.pacer.ended();
      this.#options.onChange();
    }
  }

  /** Takes no more submits, waits for the responses of those that left until the signal fires, unbinds and ends. */
  async close(signal: AbortSignal): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    this.#reason = 'the carrier was closed';
    this.#stop.abort();
    if (connection) {
      await idle(connection, signal);
      if (!signal.aborted && connection.isOpen) {
        const patience = Math.min(this.#timeoutMs, UNBIND_PATIENCE_MS);
        const unbound = connection.request('unbind', patience).catch(() => undefined);
        await doneOrAborted(unbound, signal);
      }
      connection.destroy(new Error('the carrier was closed'));
    }
    await this.#running;
  }

  #slowDown(status: number, sentAt: number): void {
    const before = this.pacer.pausedUntil;
    this.pacer.throttled(sentAt, performance.now());
    if (this.pacer.pausedUntil === before) return;
    const ratePerSecond = Math.round(this.pacer.ratePerSecond);
    this.#options.log.warn({ status: statusName(status), ratePerSecond }, 'the SMSC asks to be sent less');
  }

  async #run(): Promise<void> {
    const { settings, log } = this.#options;
    const failing = new SaidOnce({ log, level: 'warn', quietMs: settings.reconnectMaxSeconds * 2_000 });
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      const boundAt = await this.#connectOnce().catch((error: Error) => {
        this.#failed(error);
        return null;
      });
      if (this.#stop.signal.aborted) return;
      failures = boundAt !== null && performance.now() - boundAt >= STABLE_MS ? 1 : failures + 1;
      const [firstMs, longestMs] = [settings.reconnectMinSeconds * 1_000, settings.reconnectMaxSeconds * 1_000];
      // ±20 %: binds that fell together must not all come back at the same instant.
      const delayMs = withJitter(backoffMs(failures, { firstMs, longestMs }), 0.2);
      this.#retryAt = performance.now() + delayMs;
      failing.say(this.#reason, 'no bind to the SMSC', { role: this.role, retryInMs: Math.round(delayMs) });
      this.#options.onChange();
      await pause(delayMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      this.#retryAt = null;
    }
  }

  #failed(error: Error): void {
    this.#reason = describe(error);
    this.#lastErrorAt = this.#options.clock.now();
  }

  /** One connection from its beginning to its end; resolves with the moment at which it was bound. */
  async #connectOnce(): Promise<number> {
    const { settings, log, role } = this.#options;
    const handlers = {
      onRequest: (pdu: Pdu, from: Connection) => this.#onRequest(pdu, from),
      onLateResponse: (pdu: Pdu) =>
        log.warn({ sequence: pdu.sequence, status: pdu.status }, 'a response of the SMSC came too late'),
    };
    const connection = await openConnection(settings, handlers, this.#stop.signal);
    // Once the bind stands, `close` itself ends the connection, after what is owed on it.
    const abort = () => connection.destroy(new Error('the carrier was closed'));
    try {
      this.#stop.signal.throwIfAborted();
      this.#stop.signal.addEventListener('abort', abort, { once: true });
      const { systemId, version } = await sendBind(connection, role, settings);
      this.#stop.signal.throwIfAborted();
      this.#stop.signal.removeEventListener('abort', abort);
      this.#connection = connection;
      this.#since = this.#options.clock.now();
      const boundAt = performance.now();
      log.info({ role, smsc: systemId, version }, 'bound to the SMSC');
      this.#options.onChange();
      const timer = this.#watch(connection);
      this.#failed(await connection.closed);
      this.#since = this.#lastErrorAt as Date;
      clearInterval(timer);
      return boundAt;
    } finally {
      this.#stop.signal.removeEventListener('abort', abort);
      if (this.#connection === connection) this.#connection = null;
      connection.destroy(new Error('the bind failed'));
      this.#options.onEnd?.(connection);
    }
  }

  /** Asks for a sign of life whenever nothing came for long (SMPP 3.4 §4.11). */
  #watch(connection: Connection): NodeJS.Timeout {
    const silenceMs = this.#options.settings.enquireLinkSeconds * 1000;
    return setInterval(() => {
      if (performance.now() - connection.lastReceived >= silenceMs) void this.#enquire(connection);
    }, silenceMs / 2);
  }

  async #enquire(connection: Connection): Promise<void> {
    if (this.#enquiring || !connection.isOpen) return;
    this.#enquiring = true;
    try {
      await connection.request('enquire_link', this.#timeoutMs);
    } catch (error) {
      connection.destroy(new Error(`enquire_link failed: ${(error as Error).message}`));
    } finally {
      this.#enquiring = false;
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
        void this.#unboundBySmsc(pdu, connection);
        return;
      case COMMAND.alert_notification:
      case COMMAND.outbind:
        // Neither has a response (SMPP 3.4 §4.12.1, §4.1.7), and neither is of use here.
        return;
      default:
        connection.refuse(pdu, STATUS.ESME_RINVCMDID);
    }
  }

  /** It takes nothing more, but may still answer what it has. */
  async #unboundBySmsc(pdu: Pdu, connection: Connection): Promise<void> {
    if (this.#connection === connection) this.#connection = null;
    this.#options.onChange();
    connection.respond(pdu, STATUS.ESME_ROK);
    await idle(connection, AbortSignal.timeout(UNBIND_PATIENCE_MS));
    connection.end(new Error('the SMSC unbound'));
    const timer = setTimeout(() => connection.destroy(new Error('the SMSC unbound')), UNBIND_PATIENCE_MS);
    await connection.closed;
    clearTimeout(timer);
  }
}

/** @throws {NoResponseError} for a success that is none of a submit, such as a generic_nack of status 0 (SMPP 3.4 §4.3.1) */
function requireResponse(response: Pdu): void {
  if (response.status !== STATUS.ESME_ROK || isResponseTo('submit_sm', response)) return;
  const command = `command_id 0x${response.commandId.toString(16).padStart(8, '0')}`;
  throw new NoResponseError(`${command} of status 0 came in place of a submit_sm_resp`, 'strange');
}

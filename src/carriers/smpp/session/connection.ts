import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import smpp from 'smpp';
import type { SmppSettings } from '../settings.js';
import { type BadFrameError, FrameReader } from '../wire/frames.js';
import { COMMAND, isResponse, type Pdu, readPdu } from '../wire/pdu-reader.js';

const MAX_SEQUENCE = 0x7fffffff;

/** Why a request has no response. What it asked for may have been done all the same. */
export class NoResponseError extends Error {
  constructor(
    message: string,
    /** `timeout`: the connection still stands. */
    readonly reason: 'timeout' | 'closed',
  ) {
    super(message);
    this.name = 'NoResponseError';
  }
}

interface Pending {
  resolve(pdu: Pdu): void;
  reject(error: NoResponseError): void;
  timer: NodeJS.Timeout;
}

export interface ConnectionHandlers {
  /** A request of the SMSC; each must be answered. */
  onRequest(pdu: Pdu, connection: Connection): void;
  /** A response to a request that was given up. */
  onLateResponse?(pdu: Pdu): void;
}

/**
 * One connection to an SMSC, used once. Every request ends: with its response, with the timeout, or with the
 * connection. What is not SMPP ends the connection.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #handlers: ConnectionHandlers;
  readonly #frames = new FrameReader();
  readonly #pending = new Map<number, Pending>();
  /** Requests of the SMSC. */
  #unanswered = 0;
  #idlers: (() => void)[] = [];
  #sequence = 0;
  #reason: Error | null = null;
  #lastReceived = performance.now();
  /** Resolves with the reason once the connection has ended. */
  readonly closed: Promise<Error>;

  constructor(socket: Socket, handlers: ConnectionHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.destroy(error));
    // With allowHalfOpen off the socket ends its own side too, and `close` follows.
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#reason ??= new Error('the SMSC closed the connection');
        this.#failPending(this.#reason);
        resolve(this.#reason);
      });
    });
  }

  /** When something came last, by `performance.now()`. */
  get lastReceived(): number {
    return this.#lastReceived;
  }

  /** Resolves once no request of ours waits for its response and none of the SMSC's for its answer. */
  idle(): Promise<void> {
    if (this.#pending.size === 0 && this.#unanswered === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idlers.push(resolve));
  }

  get isOpen(): boolean {
    return this.#reason === null && this.#socket.writable;
  }

  /**
   * Sends a request and waits for the response, whatever its status; a generic_nack is a response too.
   * @throws {NoResponseError}
   */
  request(command: string, fields: object, timeoutMs: number): Promise<Pdu> {
    if (!this.isOpen) return Promise.reject(new NoResponseError('the connection is closed', 'closed'));
    const sequence = this.#nextSequence();
    const octets = new smpp.PDU(command, { ...fields, sequence_number: sequence }).toBuffer();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(sequence);
        this.#settle();
        reject(new NoResponseError(`no response to ${command} within ${timeoutMs} ms`, 'timeout'));
      }, timeoutMs);
      this.#pending.set(sequence, { resolve, reject, timer });
      this.#socket.write(octets);
    });
  }

  /** Answers a request of the SMSC; does nothing once the connection is closed. */
  respond(request: Pdu, command: string, status = 0): void {
    if (!this.isOpen) return;
    this.#unanswered -= 1;
    this.#settle();
    const pdu = new smpp.PDU(command, { command_status: status, sequence_number: request.sequence });
    this.#socket.write(pdu.toBuffer());
  }

  /** Closes once what was written has been handed to the system. */
  end(reason: Error): void {
    this.#reason ??= reason;
    this.#socket.end();
  }

  destroy(reason: Error): void {
    this.#reason ??= reason;
    this.#socket.destroy();
    this.#failPending(this.#reason);
  }

  #read(chunk: Buffer): void {
    this.#lastReceived = performance.now();
    let frames: Buffer[];
    try {
      frames = this.#frames.push(chunk);
    } catch (error) {
      this.destroy(error as BadFrameError);
      return;
    }
    for (const frame of frames) {
      if (this.#socket.destroyed) return;
      this.#dispatch(readPdu(frame));
    }
  }

  #dispatch(pdu: Pdu): void {
    if (!isResponse(pdu)) {
      if (hasResponse(pdu)) this.#unanswered += 1;
      this.#handlers.onRequest(pdu, this);
      return;
    }
    const pending = this.#pending.get(pdu.sequence);
    if (pending) {
      this.#pending.delete(pdu.sequence);
      clearTimeout(pending.timer);
      pending.resolve(pdu);
      this.#settle();
    } else if (pdu.commandId === COMMAND.genericNack) {
      // It could not even read which request it refuses (SMPP 3.4 §4.3.1): the two sides do not agree on the PDUs.
      this.destroy(new Error(`the SMSC answered with generic_nack, status ${pdu.status}`));
    } else {
      this.#handlers.onLateResponse?.(pdu);
    }
  }

  #nextSequence(): number {
    do this.#sequence = this.#sequence === MAX_SEQUENCE ? 1 : this.#sequence + 1;
    while (this.#pending.has(this.#sequence));
    return this.#sequence;
  }

  #settle(): void {
    if (this.#pending.size > 0 || this.#unanswered > 0) return;
    for (const resolve of this.#idlers.splice(0)) resolve();
  }

  #failPending(reason: Error): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.#unanswered = 0;
    this.#settle();
    for (const { reject, timer } of pending) {
      clearTimeout(timer);
      reject(new NoResponseError(`the connection ended before the response: ${reason.message}`, 'closed'));
    }
  }
}

/** All requests have but these two (SMPP 3.4 §4.1.7, §4.12.1). */
function hasResponse({ commandId }: Pdu): boolean {
  return commandId !== COMMAND.outbind && commandId !== COMMAND.alertNotification;
}

/**
 * Opens a TCP or TLS connection.
 * @throws Error of the socket, with its `code` such as ECONNREFUSED, or with the code ETIMEDOUT
 */
export async function openConnection(
  settings: SmppSettings,
  handlers: ConnectionHandlers,
  signal: AbortSignal,
): Promise<Connection> {
  const { host, port, tls } = settings;
  signal.throwIfAborted();
  const socket = tls
    ? connectTls({
        host,
        port,
        // RFC 6066 §3 knows no addresses here; the certificate is then verified against the address itself.
        servername: settings.tlsServerName ?? (isIP(host) ? undefined : host),
        ca: settings.tlsCa,
        cert: settings.tlsCertificate,
        key: settings.tlsKey,
        rejectUnauthorized: settings.tlsVerify,
      })
    : connectTcp({ host, port });
  socket.setNoDelay(true);
  const timeoutMs = settings.connectTimeoutSeconds * 1000;
  const abort = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => {
    // Who speaks no TLS may wait for more of what it takes for a PDU.
    const [what, code] = socket.connecting ? ['connection', 'ETIMEDOUT'] : ['TLS', 'ERR_TLS_HANDSHAKE_TIMEOUT'];
    socket.destroy(Object.assign(new Error(`no ${what} to ${host}:${port} within ${timeoutMs} ms`), { code }));
  }, timeoutMs);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(tls ? 'secureConnect' : 'connect', resolve);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error(`${host}:${port} closed the connection`)));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
  return new Connection(socket, handlers);
}

import type { Socket } from 'node:net';
import { FrameReader } from '../wire/frames.js';
import {
  GENERIC_NACK,
  genericNack,
  hasResponse,
  isResponse,
  type Pdu,
  type RequestName,
  readPdu,
  requestPdu,
  responseTo,
  writePdu,
} from '../wire/pdu.js';

/** sequence_number runs from 1 to this (SMPP 3.4 §5.1.4). */
const MAX_SEQUENCE = 0x7fffffff;

/** Why a request has no response. What it asked for may have been done all the same. */
export class NoResponseError extends Error {
  constructor(
    message: string,
    /** `timeout`, `strange`: the connection still stands; what came in place of a response says nothing. */
    readonly reason: 'timeout' | 'closed' | 'strange',
  ) {
    super(message);
    this.name = 'NoResponseError';
  }
}

/** What becomes of a request whose response did not come in time, instead of giving it up at once. */
export interface Lateness {
  /** Milliseconds for which the response still counts, while the connection stands. */
  furtherMs: number;
  /** Told once, when they begin. */
  onLate(): void;
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
   * @param body left out for the requests that have none
   * @param lateness unless told, a response that comes after the timeout is one too late
   * @throws {NoResponseError}
   */
  request(name: RequestName, timeoutMs: number, body?: Buffer, lateness?: Lateness): Promise<Pdu> {
    if (!this.isOpen) return Promise.reject(new NoResponseError('the connection is closed', 'closed'));
    const sequence = this.#nextSequence();
    return new Promise((resolve, reject) => {
      const giveUp = (afterMs: number) => {
        this.#pending.delete(sequence);
        this.#settle();
        reject(new NoResponseError(`no response to ${name} within ${afterMs} ms`, 'timeout'));
      };
      const beLate = ({ furtherMs, onLate }: Lateness) => {
        pending.timer = setTimeout(() => giveUp(timeoutMs + furtherMs), furtherMs);
        onLate();
      };
      const timer = setTimeout(() => (lateness ? beLate(lateness) : giveUp(timeoutMs)), timeoutMs);
      const pending: Pending = { resolve, reject, timer };
      this.#pending.set(sequence, pending);
      this.#write(requestPdu(name, sequence, body));
    });
  }

  /** Answers a request of the SMSC; does nothing once the connection is closed. */
  respond(request: Pdu, status: number): void {
    this.#answer(responseTo(request, status));
  }

  /** Answers a request of the SMSC that is not known here. */
  refuse(request: Pdu, status: number): void {
    this.#answer(genericNack(request, status));
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

  #answer(response: Pdu): void {
    if (!this.isOpen) return;
    this.#unanswered -= 1;
    this.#settle();
    this.#write(response);
  }

  /** What is written in one turn of the event loop leaves together: a write costs the system more than a PDU costs us. */
  #write(pdu: Pdu): void {
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork();
      // After what else is about to be written: promises that are settled go on before.
      process.nextTick(() => this.#socket.uncork());
    }
    this.#socket.write(writePdu(pdu));
  }

  #read(chunk: Buffer): void {
    this.#lastReceived = performance.now();
    const { frames, error } = this.#frames.push(chunk);
    let ending: Error | null = error;
    for (const frame of frames) {
      if (this.#socket.destroyed) return;
      ending = this.#dispatch(readPdu(frame)) ?? ending;
    }
    // Only after all that came with it: a message whose response is among that was taken, and must not be sent again.
    if (ending) this.destroy(ending);
  }

  /** @returns why the connection cannot go on, where that is so */
  #dispatch(pdu: Pdu): Error | null {
    if (!isResponse(pdu)) {
      if (hasResponse(pdu)) this.#unanswered += 1;
      this.#handlers.onRequest(pdu, this);
      return null;
    }
    const pending = this.#pending.get(pdu.sequence);
    if (pending) {
      this.#pending.delete(pdu.sequence);
      clearTimeout(pending.timer);
      pending.resolve(pdu);
      this.#settle();
    } else if (pdu.commandId === GENERIC_NACK) {
      // It could not even read which request it refuses (SMPP 3.4 §4.3.1): the two sides do not agree on the PDUs.
      return new Error(`the SMSC answered with generic_nack, status ${pdu.status}`);
    } else {
      this.#handlers.onLateResponse?.(pdu);
    }
    return null;
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

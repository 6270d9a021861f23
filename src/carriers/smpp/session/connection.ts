import type { Socket } from 'node:net';
import { FrameReader } from '../wire/frames.js';
import {
  buildGenericNack,
  buildRequest,
  buildResponse,
  GENERIC_NACK,
  hasResponse,
  isResponse,
  type Pdu,
  type RequestName,
  readPdu,
  writePdu,
} from '../wire/pdu.js';

/** sequence_number ranges from 1 to this (SMPP 3.4 §5.1.4). */
const MAX_SEQUENCE = 0x7fffffff;

/** A request got no usable response. The SMSC may have executed it nevertheless. */
export class NoResponseError extends Error {
  constructor(
    message: string,
    /**
     * After `timeout` and `unexpected` the connection is still open. `unexpected`: the PDU received in place of the
     * response says nothing about the outcome.
     */
    readonly reason: 'timeout' | 'closed' | 'unexpected',
  ) {
    super(message);
    this.name = 'NoResponseError';
  }
}

/** Keeps a request open beyond its timeout. */
export interface LateResponseOptions {
  /** How many milliseconds after the timeout a response is still accepted, if the connection stays open. */
  furtherMs: number;
  /** Called once, at the timeout. */
  onLate(): void;
}

interface PendingRequest {
  resolve(pdu: Pdu): void;
  reject(error: NoResponseError): void;
  timer: NodeJS.Timeout;
}

export interface ConnectionHandlers {
  /** A request from the SMSC. The handler must answer it. */
  onRequest(pdu: Pdu, connection: Connection): void;
  /** A response to a request that was already given up. */
  onLateResponse?(pdu: Pdu): void;
}

/**
 * One connection to an SMSC. It is not reusable. Every request ends with its response, its timeout, or the end of the
 * connection. Anything that is not SMPP ends the connection.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #handlers: ConnectionHandlers;
  readonly #frames = new FrameReader();
  readonly #pending = new Map<number, PendingRequest>();
  /** Number of SMSC requests that we have not answered. */
  #unanswered = 0;
  #idleWaiters: (() => void)[] = [];
  #sequence = 0;
  #closeReason: Error | null = null;
  #lastReceived = performance.now();
  /** Resolves with the reason when the connection ends. */
  readonly closed: Promise<Error>;

  constructor(socket: Socket, handlers: ConnectionHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.destroy(error));
    // With `allowHalfOpen` off, the socket also ends its own side, and `close` follows.
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#closeReason ??= new Error('the SMSC closed the connection');
        this.#failPending(this.#closeReason);
        resolve(this.#closeReason);
      });
    });
  }

  /** When data was last received, by `performance.now()`. */
  get lastReceived(): number {
    return this.#lastReceived;
  }

  /** Resolves once no request is unanswered, in either direction. */
  idle(): Promise<void> {
    if (this.#pending.size === 0 && this.#unanswered === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  get isOpen(): boolean {
    return this.#closeReason === null && this.#socket.writable;
  }

  /**
   * Sends a request and waits for the response, including error statuses; a generic_nack counts as a response.
   * @param body omitted for requests without a body
   * @param late without it, the request fails at the timeout
   * @throws {NoResponseError}
   */
  request(name: RequestName, timeoutMs: number, body?: Buffer, late?: LateResponseOptions): Promise<Pdu> {
    if (!this.isOpen) return Promise.reject(new NoResponseError('the connection is closed', 'closed'));
    const sequence = this.#nextSequence();
    return new Promise((resolve, reject) => {
      const giveUp = (afterMs: number) => {
        this.#pending.delete(sequence);
        this.#resolveIdle();
        reject(new NoResponseError(`no response to ${name} within ${afterMs} ms`, 'timeout'));
      };
      const waitFurther = ({ furtherMs, onLate }: LateResponseOptions) => {
        pending.timer = setTimeout(() => giveUp(timeoutMs + furtherMs), furtherMs);
        onLate();
      };
      const timer = setTimeout(() => (late ? waitFurther(late) : giveUp(timeoutMs)), timeoutMs);
      const pending: PendingRequest = { resolve, reject, timer };
      this.#pending.set(sequence, pending);
      this.#write(buildRequest(name, sequence, body));
    });
  }

  /** Responds to a request from the SMSC. Does nothing if the connection is closed. */
  respond(request: Pdu, status: number): void {
    this.#writeAnswer(buildResponse(request, status));
  }

  /** Answers an unsupported request with a generic_nack. */
  refuse(request: Pdu, status: number): void {
    this.#writeAnswer(buildGenericNack(request, status));
  }

  /** Closes the connection after everything written has been passed to the operating system. */
  end(reason: Error): void {
    this.#closeReason ??= reason;
    this.#socket.end();
  }

  destroy(reason: Error): void {
    this.#closeReason ??= reason;
    this.#socket.destroy();
    this.#failPending(this.#closeReason);
  }

  #writeAnswer(response: Pdu): void {
    if (!this.isOpen) return;
    this.#unanswered -= 1;
    this.#resolveIdle();
    this.#write(response);
  }

  /**
   * PDUs written in one turn of the event loop are sent in a single system call, which costs far more than building a
   * PDU.
   */
  #write(pdu: Pdu): void {
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork();
      // Uncork after the promise callbacks of this turn, which may write more PDUs.
      process.nextTick(() => this.#socket.uncork());
    }
    this.#socket.write(writePdu(pdu));
  }

  #read(chunk: Buffer): void {
    this.#lastReceived = performance.now();
    const { frames, error } = this.#frames.push(chunk);
    let endReason: Error | null = error;
    for (const frame of frames) {
      if (this.#socket.destroyed) return;
      endReason = this.#dispatch(readPdu(frame)) ?? endReason;
    }
    // Handle all frames of the chunk first: they may contain the response to a submit, which must not be sent again.
    if (endReason) this.destroy(endReason);
  }

  /** @returns an error if the connection must end, otherwise null */
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
      this.#resolveIdle();
    } else if (pdu.commandId === GENERIC_NACK) {
      // The SMSC could not even read the sequence number of the request it refuses (SMPP 3.4 §4.3.1), so the two
      // sides do not agree on where PDUs start.
      return new Error(`the SMSC sent a generic_nack that matches no request, status ${pdu.status}`);
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

  #resolveIdle(): void {
    if (this.#pending.size > 0 || this.#unanswered > 0) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  #failPending(reason: Error): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.#unanswered = 0;
    this.#resolveIdle();
    for (const { reject, timer } of pending) {
      clearTimeout(timer);
      reject(new NoResponseError(`the connection ended before the response: ${reason.message}`, 'closed'));
    }
  }
}

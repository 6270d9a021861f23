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

/** SMPP 3.4 §5.1.4. */
const MAX_SEQUENCE = 0x7fffffff;

/** The SMSC may have executed a request even if no response arrived. */
export class NoResponseError extends Error {
  constructor(
    message: string,
    /** `unexpected` means that another PDU arrived in place of the response. */
    readonly reason: 'timeout' | 'closed' | 'unexpected',
  ) {
    super(message);
    this.name = 'NoResponseError';
  }
}

export interface LateResponseOptions {
  /** Milliseconds after the timeout during which a response is still accepted. */
  furtherMs: number;
  onLate(): void;
}

interface PendingRequest {
  resolve(pdu: Pdu): void;
  reject(error: NoResponseError): void;
  timer: NodeJS.Timeout;
}

export interface ConnectionHandlers {
  onRequest(pdu: Pdu, connection: Connection): void;
  onLateResponse?(pdu: Pdu): void;
}

/** If data arrives that is not SMPP, the connection is closed and the object cannot be used again. */
export class Connection {
  readonly #socket: Socket;
  readonly #handlers: ConnectionHandlers;
  readonly #frames = new FrameReader();
  readonly #pending = new Map<number, PendingRequest>();
  #unanswered = 0;
  #idleWaiters: (() => void)[] = [];
  #sequence = 0;
  #closeReason: Error | null = null;
  #lastReceived = performance.now();
  readonly closed: Promise<Error>;

  constructor(socket: Socket, handlers: ConnectionHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.destroy(error));
    // When the SMSC ends the connection, the socket emits `close`, because `allowHalfOpen` is off.
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#closeReason ??= new Error('the SMSC closed the connection');
        this.#failPending(this.#closeReason);
        resolve(this.#closeReason);
      });
    });
  }

  /** By `performance.now()`. */
  get lastReceived(): number {
    return this.#lastReceived;
  }

  whenIdle(): Promise<void> {
    if (this.#pending.size === 0 && this.#unanswered === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  get isOpen(): boolean {
    return this.#closeReason === null && this.#socket.writable;
  }

  /**
   * Sends a request and resolves to the response, even if it has an error status or is a generic_nack. Without `late`, the
   * request fails at the timeout.
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

  respond(request: Pdu, status: number): void {
    this.#writeAnswer(buildResponse(request, status));
  }

  refuse(request: Pdu, status: number): void {
    this.#writeAnswer(buildGenericNack(request, status));
  }

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

  /** PDUs are written together where possible, because a system call costs far more than building a PDU. */
  #write(pdu: Pdu): void {
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork();
      // Pending promise callbacks may write more PDUs before the socket is uncorked.
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
    // All frames must be read first, because one of them may be the response to a submit, whose message must not be sent again.
    if (endReason) this.destroy(endReason);
  }

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
      // The SMSC could not read the sequence number of the refused request (SMPP 3.4 §4.3.1), so it has lost the PDU
      // boundaries.
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

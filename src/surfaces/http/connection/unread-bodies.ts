import { type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';

/** Limits for reading and discarding the rest of a body after the response, before the connection is destroyed. */
export interface DiscardLimits {
  /** Maximum time from the response to the end of the connection, in milliseconds. */
  totalMs: number;
  /** Maximum time without a byte from the client, in milliseconds. */
  silenceMs: number;
  /** Maximum number of bytes discarded on a connection that closes. */
  bytes: number;
  /** A body of at most this Content-Length, in bytes, is discarded without closing the connection. */
  keepAliveBytes: number;
}

/** The limits suffice for a client that sends its whole body before it reads the response. */
export const DISCARD_LIMITS: DiscardLimits = {
  totalMs: 10_000,
  silenceMs: 3_000,
  bytes: 128 * 1024 * 1024,
  keepAliveBytes: 1024 * 1024,
};

/** How often the limits of a closing connection are checked. */
const CHECK_MS = 100;
/** Time from the start of shutdown until connections that only discard data are closed. */
const SHUTDOWN_MS = 500;

/**
 * Closing a socket with unread data resets the connection, and the client may lose the response. Therefore only the write side
 * of the socket is closed at first, and incoming data is discarded until the client closes too or a limit is reached (RFC 9112
 * §9.6).
 */
export class UnreadBodies {
  readonly #limits: DiscardLimits;
  readonly #closing = new Set<Socket>();

  constructor(limits: DiscardLimits = DISCARD_LIMITS) {
    this.#limits = limits;
  }

  /** Returns whether the last response on the connection has been sent. If so, further input is ignored. */
  isClosing(socket: Socket): boolean {
    return this.#closing.has(socket);
  }

  /**
   * Must be called before the response to a request is written.
   * @returns whether the connection must close after the response, because the rest of the body may be long
   */
  prepareResponse(request: IncomingMessage): boolean {
    // Requests made by Fastify's `inject` have no property `complete`.
    if (request.complete !== false || !hasBody(request)) return false;
    const { socket } = request;
    // Node.js calls `destroySoon` after the last response of a connection.
    socket.destroySoon = () => {
      if (request.complete) Socket.prototype.destroySoon.call(socket);
      else this.close(socket, request);
    };
    return !(Number(request.headers['content-length']) <= this.#limits.keepAliveBytes);
  }

  /** Closes the write side and discards further input, so the response must already have been written. */
  close(socket: Socket, request?: IncomingMessage): void {
    if (socket.destroyed || this.#closing.has(socket)) return;
    if (socket.readableEnded) {
      Socket.prototype.destroySoon.call(socket);
      return;
    }
    this.#closing.add(socket);
    const { bytes, silenceMs, totalMs } = this.#limits;
    const startedAt = performance.now();
    const bytesBefore = socket.bytesRead;
    let lastBytes = bytesBefore;
    let lastHeardAt = startedAt;
    // The byte counter is polled, because Node.js passes data to its HTTP parser without an event.
    const watch = setInterval(() => {
      const now = performance.now();
      if (socket.bytesRead !== lastBytes) {
        lastBytes = socket.bytesRead;
        lastHeardAt = now;
      }
      const isOver = now - startedAt >= totalMs || now - lastHeardAt >= silenceMs || lastBytes - bytesBefore > bytes;
      if (isOver) socket.destroy();
    }, CHECK_MS).unref();
    const destroy = () => socket.destroy();
    socket.once('end', destroy);
    socket.once('error', destroy);
    socket.once('close', () => {
      clearInterval(watch);
      this.#closing.delete(socket);
    });
    socket.end();
    request?.resume();
    socket.resume();
  }

  shutDown(): void {
    for (const socket of this.#closing) setTimeout(() => socket.destroy(), SHUTDOWN_MS).unref();
  }
}

/**
 * Returns a response class that calls `prepareResponse` before it writes headers. The class is used because a Fastify hook
 * would delay every response.
 */
export function createResponseClass(bodies: UnreadBodies): typeof ServerResponse {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(...args: unknown[]): this {
      if (bodies.prepareResponse(this.req)) this.setHeader('connection', 'close');
      return Reflect.apply(super.writeHead, this, args) as this;
    }
  };
}

/** Sends `100 Continue` only if the body will be read. */
export const unreadBodies = plugin(
  async (app: FastifyInstance, { bodies }: { bodies: UnreadBodies }) => {
    app.server.on('checkContinue', (request, response) => {
      // The body is read only if no rule rejects the request (RFC 9110 §10.1.1).
      request.once('resume', () => {
        if (!request.complete && !response.headersSent) response.writeContinue();
      });
      app.server.emit('request', request, response);
    });
    app.addHook('onRequest', (request, reply, done) => {
      // A pipelined request after the last response of its connection must not be executed, because it could not be answered.
      if (bodies.isClosing(request.raw.socket)) reply.hijack();
      else done();
    });
    app.addHook('preClose', (done) => {
      bodies.shutDown();
      done();
    });
  },
  { name: 'unread-bodies' },
);

/** A request without Transfer-Encoding and Content-Length has no body (RFC 9112 §6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorRenderer, publicError } from '../errors.js';
import { isWatched } from '../files/file-form.js';
import { ANSWER_HEADERS } from './answer-headers.js';
import type { UnreadBodies } from './unread-bodies.js';

/** Longest wait for the rest of a request after its timeout. */
const GRACE_MS = 500;

const RESPONSES: Readonly<Record<string, [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
};

/** Matches the target in a complete request line: `POST /v2/send HTTP/1.1`. */
const FIRST_LINE = /^[A-Z]+ (\S{1,8192}) HTTP\/\d/;
/** Matches the path in a truncated request line: `GET /v2/messages?to=1500…`. */
const LONG_LINE = /^[A-Z]+ (\/[^\s?]{0,8192})/;

interface Exchange {
  id: string;
  url: string;
  request: IncomingMessage;
  response: ServerResponse;
}

interface LateRequest {
  exchange: Exchange | undefined;
}

type SocketError = Error & { code?: string; rawPacket?: unknown };

export class SocketErrors {
  readonly #newId: (request: Pick<IncomingMessage, 'headers'>) => string;
  readonly #findRenderer: (url: string) => ErrorRenderer;
  readonly #bodies: UnreadBodies;
  readonly #exchanges = new WeakMap<Socket, Exchange>();
  readonly #lateRequests = new WeakMap<Socket, LateRequest>();

  /**
   * @param newId creates the ID of a request whose headers could not be read
   * @param findRenderer receives the request target, or an empty text if it could not be read
   */
  constructor(
    newId: (request: Pick<IncomingMessage, 'headers'>) => string,
    findRenderer: (url: string) => ErrorRenderer,
    bodies: UnreadBodies,
  ) {
    this.#newId = newId;
    this.#findRenderer = findRenderer;
    this.#bodies = bodies;
  }

  recordExchange({ id, url, raw: request }: FastifyRequest, { raw: response }: FastifyReply): void {
    const exchange = { id, url, request, response };
    this.#exchanges.set(request.socket, exchange);
    const late = this.#lateRequests.get(request.socket);
    if (late) late.exchange ??= exchange;
  }

  /** Sends nothing if the failed request has already been answered. */
  answer(error: SocketError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || socket.destroyed || this.#bodies.isClosing(socket)) return;
    const lastExchange = this.#exchanges.get(socket);
    // If the latest request is complete, the error belongs to the next request, whose headers have not arrived.
    const failedExchange = lastExchange && !lastExchange.request.complete ? lastExchange : undefined;
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') void this.#answerLate(error, socket, failedExchange);
    else this.#refuse(error, socket, failedExchange);
  }

  /**
   * Node.js checks the timeout before it reads the socket. The socket is therefore read first, because the request may have
   * arrived while the process was blocked.
   */
  async #answerLate(error: SocketError, socket: Socket, exchange?: Exchange): Promise<void> {
    const late: LateRequest = { exchange };
    this.#lateRequests.set(socket, late);
    await pause(GRACE_MS, undefined, { ref: false });
    // The process may have been blocked again during the wait.
    await turn();
    this.#lateRequests.delete(socket);
    if (socket.destroyed || this.#bodies.isClosing(socket) || late.exchange?.request.complete) return;
    // Uploads may take longer than other requests, and have their own timeouts (`isWatched`).
    if (late.exchange && isWatched(late.exchange.request)) return;
    this.#refuse(error, socket, late.exchange);
  }

  #refuse(error: SocketError, socket: Socket, exchange?: Exchange): void {
    if (socket.writable && !exchange?.response.headersSent) {
      const { id, url } = exchange ?? { id: this.#newId({ headers: {} }), url: readTarget(error) };
      const [status, message] = RESPONSES[error.code ?? ''] ?? [400, 'The request is not valid HTTP.'];
      socket.write(this.#serialize(status, message, { id, url }));
    }
    this.#bodies.close(socket, exchange?.request);
  }

  /** Responds to CONNECT, because Node.js would close the connection without a response (RFC 9110 §9.3.6). */
  refuseConnect(request: IncomingMessage, socket: Socket): void {
    const exchange = { id: this.#newId(request), url: request.url ?? '' };
    socket.write(this.#serialize(501, 'CONNECT is not supported: this server is not a proxy.', exchange));
    this.#bodies.close(socket);
  }

  /** Refuses a request with an unknown `Expect` header before its body arrives (RFC 9110 §10.1.1). */
  refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
    const exchange = { id: this.#newId(request), url: request.url ?? '' };
    const { body, headers } = this.#compose(
      417,
      'Unsupported Expect header: only 100-continue is supported.',
      exchange,
    );
    this.#bodies.prepareResponse(request);
    response.writeHead(417, headers).end(body);
  }

  #serialize(status: number, message: string, exchange: { id: string; url: string }): string {
    const { body, headers } = this.#compose(status, message, exchange);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
  }

  #compose(status: number, message: string, { id, url }: { id: string; url: string }) {
    const render = this.#findRenderer(url);
    const body = JSON.stringify(render({ ...publicError('INVALID_REQUEST', message), status }, id));
    const headers = {
      connection: 'close',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': id,
      ...ANSWER_HEADERS,
    };
    return { body, headers };
  }
}

/** Returns an empty string if the request line is not in the last packet, because Node.js provides only that packet. */
function readTarget({ code, rawPacket }: { code?: string; rawPacket?: unknown }): string {
  if (!Buffer.isBuffer(rawPacket)) return '';
  const start = rawPacket.subarray(0, 8_300).toString('latin1');
  const line = FIRST_LINE.exec(start) ?? (code === 'HPE_HEADER_OVERFLOW' ? LONG_LINE.exec(start) : null);
  return line?.[1] ?? '';
}

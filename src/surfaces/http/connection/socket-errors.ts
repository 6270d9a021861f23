import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorRenderer, publicError } from '../errors.js';
import { isWatched } from '../files/file-form.js';
import { ANSWER_HEADERS } from './answer-headers.js';
import type { UnreadBodies } from './unread-bodies.js';

/** For how long a request may still come whose time is over, in milliseconds. */
const GRACE_MS = 500;

const ANSWERS: Readonly<Record<string, [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
};

/** The target of a request whose first line is whole: `POST /v2/send HTTP/1.1`. */
const FIRST_LINE = /^[A-Z]+ (\S{1,8192}) HTTP\/\d/;
/** The path of a request whose first line is too long to hold its end: `GET /v2/messages?to=1500…`. */
const LONG_LINE = /^[A-Z]+ (\/[^\s?]{0,8192})/;

/** The request that last began on a connection. Its body is not held. */
interface Exchange {
  id: string;
  url: string;
  request: IncomingMessage;
  response: ServerResponse;
}

/** A request whose time is over; without what is known of it while its headers have not arrived. */
interface Late {
  about: Exchange | undefined;
}

type SocketError = Error & { code?: string; rawPacket?: unknown };

/** Answers what Node.js could not read as HTTP, or not in time. */
export class SocketErrors {
  readonly #newId: (request: Pick<IncomingMessage, 'headers'>) => string;
  readonly #shapeOf: (url: string) => ErrorRenderer;
  readonly #bodies: UnreadBodies;
  readonly #exchanges = new WeakMap<Socket, Exchange>();
  readonly #late = new WeakMap<Socket, Late>();

  /**
   * @param newId makes the id of a request whose headers could not be read
   * @param shapeOf the shape of an error by the request's target; an empty one where that could not be read
   * @param bodies closes connections so that the response is not lost
   */
  constructor(
    newId: (request: Pick<IncomingMessage, 'headers'>) => string,
    shapeOf: (url: string) => ErrorRenderer,
    bodies: UnreadBodies,
  ) {
    this.#newId = newId;
    this.#shapeOf = shapeOf;
    this.#bodies = bodies;
  }

  /** Remembers a request whose headers have arrived. */
  note({ id, url, raw: request }: FastifyRequest, { raw: response }: FastifyReply): void {
    const exchange = { id, url, request, response };
    this.#exchanges.set(request.socket, exchange);
    const late = this.#late.get(request.socket);
    if (late) late.about ??= exchange;
  }

  /** Answers, unless the request that the error is about has its answer already, and closes the connection. */
  answer(error: SocketError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || socket.destroyed || this.#bodies.isClosing(socket)) return;
    const last = this.#exchanges.get(socket);
    // Where the last request has arrived whole, the error is about one that has not begun.
    const about = last && !last.request.complete ? last : undefined;
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') void this.#answerLate(error, socket, about);
    else this.#refuse(error, socket, about);
  }

  /**
   * Node.js looks at the clock before it reads: where the process itself stood still, what it calls late may lie in the
   * socket since long. So it is read first, and whoever was held up in the middle of a request goes on.
   */
  async #answerLate(error: SocketError, socket: Socket, about?: Exchange): Promise<void> {
    const late: Late = { about };
    this.#late.set(socket, late);
    await pause(GRACE_MS, undefined, { ref: false });
    // The process may have stood still once more.
    await turn();
    this.#late.delete(socket);
    if (socket.destroyed || this.#bodies.isClosing(socket) || late.about?.request.complete) return;
    // A file may take longer than other requests, and is watched by whoever reads it. Node.js says so once a request.
    if (late.about && isWatched(late.about.request)) return;
    this.#refuse(error, socket, late.about);
  }

  #refuse(error: SocketError, socket: Socket, about?: Exchange): void {
    if (socket.writable && !about?.response.headersSent) {
      const { id, url } = about ?? { id: this.#newId({ headers: {} }), url: targetOf(error) };
      const [status, message] = ANSWERS[error.code ?? ''] ?? [400, 'The request is not valid HTTP.'];
      socket.write(this.#whole(status, message, { id, url }));
    }
    this.#bodies.close(socket, about?.request);
  }

  /** Answers who takes this server for a proxy (RFC 9110 §9.3.6). Node.js would close the connection without a word. */
  refuseConnect(request: IncomingMessage, socket: Socket): void {
    const about = { id: this.#newId(request), url: request.url ?? '' };
    socket.write(this.#whole(501, 'This server is no proxy: CONNECT is not understood.', about));
    this.#bodies.close(socket);
  }

  /** Answers a request that expects what nobody promises here (RFC 9110 §10.1.1), before its body comes. */
  refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
    const about = { id: this.#newId(request), url: request.url ?? '' };
    const { body, headers } = this.#compose(417, 'The only expectation that is met is 100-continue.', about);
    this.#bodies.prepareResponse(request);
    response.writeHead(417, headers).end(body);
  }

  /** An answer as it goes over the wire. */
  #whole(status: number, message: string, about: { id: string; url: string }): string {
    const { body, headers } = this.#compose(status, message, about);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
  }

  #compose(status: number, message: string, { id, url }: { id: string; url: string }) {
    const render = this.#shapeOf(url);
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

/**
 * The target of a request that could not be read, where it stands in what arrived last; else empty. Node.js hands over no
 * more than that: of headers that came in several pieces the first line is gone.
 */
function targetOf({ code, rawPacket }: { code?: string; rawPacket?: unknown }): string {
  if (!Buffer.isBuffer(rawPacket)) return '';
  const start = rawPacket.subarray(0, 8_300).toString('latin1');
  const line = FIRST_LINE.exec(start) ?? (code === 'HPE_HEADER_OVERFLOW' ? LONG_LINE.exec(start) : null);
  return line?.[1] ?? '';
}

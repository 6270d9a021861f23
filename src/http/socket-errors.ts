import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorRenderer } from './errors.js';
import { publicError } from './errors.js';

const ANSWERS: Readonly<Record<string, [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
};

/**
 * Answers what Node.js could not read as HTTP. No route is known then, so the shape is that of no surface.
 * @param render the shape of the body
 */
export function answerSocketError(error: NodeJS.ErrnoException, socket: Socket, render: ErrorRenderer): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const [status, message] = ANSWERS[error.code ?? ''] ?? [400, 'The request is not valid HTTP.'];
    const body = JSON.stringify(render({ ...publicError('INVALID_REQUEST', message), status }));
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}

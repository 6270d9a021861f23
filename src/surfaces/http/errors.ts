import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import {
  AppError,
  ERROR_STATUS,
  type ErrorCode,
  type FieldProblem,
  type Funds,
  type WordsForPeople,
} from '../../platform/errors/app-error.js';
import type { SaidOnce } from '../../platform/log/said-once.js';

/** An error as a caller may see it: nothing of the inside is left in it. */
export interface PublicError {
  /** HTTP status. */
  status: number;
  code: ErrorCode;
  message: string;
  fields: readonly FieldProblem[];
  /** With 402, where they are known. */
  funds?: Funds;
  /** With 429, where it is known. */
  retryAfterSeconds?: number;
  /** With CARRIER_REFUSED, the carrier's own code, where there is one. */
  carrierCode?: string | undefined;
  /** With CARRIER_REFUSED, the carrier's words for people, where there are some. */
  forPeople?: WordsForPeople | undefined;
}

/** What answering an error needs. */
export interface ErrorOptions {
  log: Logger;
  /** Told of what is answered with 503: it logs a reason once, not for every request. */
  outages: Pick<SaidOnce, 'say'>;
  /** Whether an error says that the store cannot be reached at the moment; it is answered with 503. */
  isStoreAway(error: unknown): boolean;
  /** Told of each error that is answered with, by its reason. */
  onRefused?(code: ErrorCode): void;
}

/** Gives an error the shape of a surface. */
export interface ErrorRenderer {
  (error: PublicError, requestId: string): object;
  /** The status of an error, where the surface has another one for it. */
  statusOf?(error: PublicError): number;
}

/** Seconds after which a caller may try again what was refused because there was no capacity. */
const RETRY_AFTER_SECONDS = '1';

/** What Fastify refuses before a handler runs, in words for the caller. */
const FRAMEWORK_ERRORS: Readonly<Record<string, [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['PAYLOAD_TOO_LARGE', 'The request body is too large.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'UNSUPPORTED_MEDIA_TYPE',
    'The request body must have Content-Type application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'INVALID_REQUEST',
    'The request body has another length than Content-Length says.',
  ],
  FST_ERR_BAD_URL: ['INVALID_REQUEST', 'The path is not valid percent-encoded UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['NOT_FOUND', 'The requested resource does not exist.'],
};

/** What is wrong with a request as HTTP, whatever it asks for. */
export class TransportError extends Error {
  constructor(
    /** HTTP status. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Turns whatever was thrown into what a caller may see. */
export function toPublicError(error: unknown, isStoreAway: ErrorOptions['isStoreAway']): PublicError {
  if (error instanceof AppError && error.code !== 'INTERNAL') return error;
  if (error instanceof TransportError)
    return { ...publicError('INVALID_REQUEST', error.message), status: error.status };
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  const known = typeof code === 'string' ? FRAMEWORK_ERRORS[code] : undefined;
  if (known) return publicError(known[0], known[1]);
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return publicError('INVALID_REQUEST', 'The request could not be read.');
  }
  if (isStoreAway(error)) return publicError('UNAVAILABLE', 'The store does not answer at the moment.');
  return publicError('INTERNAL', 'Internal server error.');
}

export function publicError(code: ErrorCode, message: string): PublicError {
  return { status: ERROR_STATUS[code], code, message, fields: [] };
}

/** Answers with an error in a surface's shape, and logs what the server is to blame for. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  render: ErrorRenderer,
  { log, outages, isStoreAway, onRefused }: ErrorOptions,
): FastifyReply {
  const shown = toPublicError(error, isStoreAway);
  onRefused?.(shown.code);
  if (shown.code === 'UNAVAILABLE' || shown.code === 'INTERNAL') {
    const { id: requestId, method, routeOptions } = request;
    const details = { requestId, method, route: routeOptions?.url };
    if (shown.code === 'UNAVAILABLE') outages.say(error, 'requests are answered with 503', details);
    else log.error({ err: error, ...details }, 'request failed');
  }
  if (shown.code === 'UNAVAILABLE') reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (shown.retryAfterSeconds !== undefined) reply.header('retry-after', shown.retryAfterSeconds);
  // RFC 9110 §11.6.1 demands a challenge; a surface with another scheme than Bearer has named it by now.
  if (shown.code === 'UNAUTHORIZED' && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer');
  return reply.code(render.statusOf?.(shown) ?? shown.status).send(render(shown, request.id));
}

/**
 * Answers every error of a context, unknown endpoints and wrong methods included, in a surface's shape. Contexts inside
 * inherit it.
 */
export function useErrorShape(app: FastifyInstance, render: ErrorRenderer, options: ErrorOptions): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, render, options));
  app.setNotFoundHandler((request) => {
    throw unknownEndpoint(request);
  });
}

/** A 404 before the body is read: whatever is wrong with it matters less than that nothing is there. */
export function refuseUnknownEndpoint(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  done(request.is404 ? unknownEndpoint(request) : undefined);
}

/** What is said of an endpoint that does not exist. */
export function unknownEndpoint({ method, url }: FastifyRequest): AppError {
  const path = url.split('?', 1)[0] as string;
  return new AppError('NOT_FOUND', `There is no ${method} ${path.slice(0, 200)}.`);
}

/** The shape outside of the surfaces. */
export const renderPlain: ErrorRenderer = ({ code, message }) => ({ error: { code, message } });

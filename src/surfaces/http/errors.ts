import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import {
  AppError,
  type CarrierExplanation,
  ERROR_STATUS,
  type ErrorCode,
  type FieldProblem,
  type Funds,
} from '../../platform/errors/app-error.js';
import type { FailureLog } from '../../platform/log/failure-log.js';

/** The part of an error that the caller may see, without internal details. */
export interface PublicError {
  status: number;
  code: ErrorCode;
  message: string;
  fields: readonly FieldProblem[];
  /** Balance and price, set for a 402 if known. */
  funds?: Funds;
  /** Set for a 429 if the time is known. */
  retryAfterSeconds?: number;
  /** Set for CARRIER_REFUSED. */
  carrierCode?: string | undefined;
  /** Shown to end users. */
  carrierExplanation?: CarrierExplanation | undefined;
}

export interface ErrorOptions {
  log: Logger;
  outages: Pick<FailureLog, 'report'>;
  /** Returns true for errors that get a 503, because the store is unavailable. */
  isStoreAway(error: unknown): boolean;
  onRefused?(code: ErrorCode): void;
}

export interface ErrorRenderer {
  (error: PublicError, requestId: string): object;
  /** Returns the HTTP status of an error, in surfaces that do not use the error's own status. */
  statusOf?(error: PublicError): number;
}

/** Value of `Retry-After` in a 503, in seconds. */
const RETRY_AFTER_SECONDS = '1';

/** Errors that Fastify reports before a handler runs. */
const FRAMEWORK_ERRORS: Readonly<Record<string, [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['PAYLOAD_TOO_LARGE', 'The request body is too large.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'UNSUPPORTED_MEDIA_TYPE',
    'The request body must have Content-Type application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'INVALID_REQUEST',
    'The length of the request body differs from Content-Length.',
  ],
  FST_ERR_BAD_URL: ['INVALID_REQUEST', 'The path is not valid percent-encoded UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['NOT_FOUND', 'The requested resource does not exist.'],
};

/** A request that is invalid as HTTP, regardless of its endpoint. */
export class TransportError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function toPublicError(error: unknown, isStoreAway: ErrorOptions['isStoreAway']): PublicError {
  if (error instanceof AppError && error.code !== 'INTERNAL') return error;
  if (error instanceof TransportError)
    return { ...publicError('INVALID_REQUEST', error.message), status: error.status };
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  const frameworkError = typeof code === 'string' ? FRAMEWORK_ERRORS[code] : undefined;
  if (frameworkError) return publicError(frameworkError[0], frameworkError[1]);
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return publicError('INVALID_REQUEST', 'The request could not be read.');
  }
  if (isStoreAway(error)) return publicError('UNAVAILABLE', 'The store does not answer at the moment.');
  return publicError('INTERNAL', 'Internal server error.');
}

export function publicError(code: ErrorCode, message: string): PublicError {
  return { status: ERROR_STATUS[code], code, message, fields: [] };
}

/** Also logs server-side errors. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  render: ErrorRenderer,
  { log, outages, isStoreAway, onRefused }: ErrorOptions,
): FastifyReply {
  const visibleError = toPublicError(error, isStoreAway);
  onRefused?.(visibleError.code);
  if (visibleError.code === 'UNAVAILABLE' || visibleError.code === 'INTERNAL') {
    const { id: requestId, method, routeOptions } = request;
    const details = { requestId, method, route: routeOptions?.url };
    if (visibleError.code === 'UNAVAILABLE') outages.report(error, 'requests are answered with 503', details);
    else log.error({ err: error, ...details }, 'request failed');
  }
  if (visibleError.code === 'UNAVAILABLE') reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (visibleError.retryAfterSeconds !== undefined) reply.header('retry-after', visibleError.retryAfterSeconds);
  // A 401 needs a challenge (RFC 9110 §11.6.1), but surfaces with a scheme other than Bearer have already set theirs.
  if (visibleError.code === 'UNAUTHORIZED' && !reply.hasHeader('www-authenticate'))
    reply.header('www-authenticate', 'Bearer');
  return reply.code(render.statusOf?.(visibleError) ?? visibleError.status).send(render(visibleError, request.id));
}

/** Includes nested contexts. */
export function useErrorShape(app: FastifyInstance, render: ErrorRenderer, options: ErrorOptions): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, render, options));
  app.setNotFoundHandler((request) => {
    throw unknownEndpoint(request);
  });
}

/** Throws the 404 before the body is read, so that an unknown path gets a 404 even if the body is invalid. */
export function refuseUnknownEndpoint(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  done(request.is404 ? unknownEndpoint(request) : undefined);
}

export function unknownEndpoint({ method, url }: FastifyRequest): AppError {
  const path = url.split('?', 1)[0] as string;
  return new AppError('NOT_FOUND', `There is no ${method} ${path.slice(0, 200)}.`);
}

/** Error format of endpoints outside the surfaces. */
export const renderPlain: ErrorRenderer = ({ code, message }) => ({ error: { code, message } });

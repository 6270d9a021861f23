import type { Document, Operation, Response } from './openapi-errors.js';

const TRANSPORT_ERRORS = {
  408: 'The request took too long to arrive.',
  417: 'Unsupported Expect header: only 100-continue is supported.',
  431: 'The request headers are too large, or too many.',
  501: 'The request has a Transfer-Encoding other than chunked.',
} as const;

/** For invalid parameters (Meta, "Error codes"). */
const META_PARAMETER = 100;
const TWILIO_PARAMETER = 20422;

const text = (description: string, schema: object = { type: 'string' }) => ({ description, schema });
const count = (description: string) => text(description, { type: 'integer', minimum: 0 });

/** By component name; `NAMES` has the header names. */
const HEADERS = {
  RequestId: text("The request ID: the caller's `X-Request-Id` if it is harmless, otherwise generated."),
  RateLimitLimit: count('Requests allowed per second for the key; absent if rate limits are off.'),
  RateLimitRemaining: count('Requests remaining in this second.'),
  RateLimitReset: count('Seconds until the limit resets.'),
  RetryAfter: count('Seconds after which to try again.'),
  IdempotentReplayed: text('`true` if the answer repeats that of the first request with this idempotency key.', {
    type: 'string',
    enum: ['true'],
  }),
  Challenge: text('How to authenticate (RFC 9110 §11.6.1).'),
} as const;

type HeaderName = keyof typeof HEADERS;

const NAMES: Readonly<Record<HeaderName, string>> = {
  RequestId: 'X-Request-Id',
  RateLimitLimit: 'X-RateLimit-Limit',
  RateLimitRemaining: 'X-RateLimit-Remaining',
  RateLimitReset: 'X-RateLimit-Reset',
  RetryAfter: 'Retry-After',
  IdempotentReplayed: 'Idempotent-Replayed',
  Challenge: 'WWW-Authenticate',
};

export function addCommonResponses(document: Document): void {
  for (const operation of Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods))) {
    addTransportErrors(operation);
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      const names = listHeaders(operation, Number(status));
      response.headers = Object.fromEntries(
        names.map((name) => [NAMES[name], { $ref: `#/components/headers/${name}` }]),
      );
    }
  }
  document.components = { ...document.components, headers: { ...HEADERS } };
}

function addTransportErrors({ responses }: Operation): void {
  if (!responses) return;
  const pattern = responses['500'];
  for (const [status, description] of Object.entries(TRANSPORT_ERRORS)) {
    responses[status] = pattern ? toTransportError(pattern, Number(status), description) : { description };
  }
}

function toTransportError(pattern: Response, status: number, description: string): Response {
  const response = structuredClone(pattern);
  const content = response.content?.['application/json'];
  const {
    code,
    error,
    more_info: moreInfo,
  } = (content?.example ?? {}) as {
    code?: unknown;
    error?: { code?: unknown };
    more_info?: string;
  };
  const shownError = error
    ? {
        error: {
          ...error,
          code: typeof error.code === 'number' ? META_PARAMETER : 'INVALID_REQUEST',
          message: description,
        },
      }
    : { message: description };
  const shownCode = code === undefined ? {} : { code: typeof code === 'string' ? String(status) : status };
  if (content && moreInfo !== undefined) {
    const details = {
      code: TWILIO_PARAMETER,
      more_info: moreInfo.replace(String(code), String(TWILIO_PARAMETER)),
      status,
    };
    content.schema = { ...content.schema, description };
    content.example = { message: description, ...details };
    return { ...response, description };
  }
  if (content) {
    content.schema = { ...content.schema, description };
    content.example = { ...(content.example as object), ...shownError, ...shownCode };
  }
  return { ...response, description };
}

function listHeaders({ security, parameters = [] }: Operation, status: number): HeaderName[] {
  const names: HeaderName[] = ['RequestId'];
  if (status === 401) names.push('Challenge');
  const isUnauthenticated = status === 401 || String(status) in TRANSPORT_ERRORS;
  // Console sessions have no rate limit.
  const hasKey = security?.some((scheme) => !('session' in scheme));
  if (hasKey && !isUnauthenticated) names.push('RateLimitLimit', 'RateLimitRemaining', 'RateLimitReset');
  if (status === 429 || status === 503) names.push('RetryAfter');
  const idempotent = parameters.some(({ name }) => name === 'Idempotency-Key');
  if (idempotent && (status === 200 || status === 201)) names.push('IdempotentReplayed');
  return names;
}

import type { Document, Operation, Response } from './openapi-errors.js';

const TRANSPORT_ERRORS = {
  408: 'The request took too long to arrive.',
  417: 'Unsupported Expect header: only 100-continue is supported.',
  431: 'The request headers are too large, or too many.',
  501: 'The request has a Transfer-Encoding other than chunked.',
} as const;

/** Code for invalid parameters (Meta, "Error codes"). */
const META_PARAMETER_CODE = 100;
const TWILIO_PARAMETER_CODE = 20422;

const textHeader = (description: string, schema: object = { type: 'string' }) => ({ description, schema });
const countHeader = (description: string) => textHeader(description, { type: 'integer', minimum: 0 });

/** Header descriptions by component name (`HEADER_NAMES` contains the names of the HTTP headers). */
const HEADERS = {
  RequestId: textHeader("The request ID: the caller's `X-Request-Id` if it is harmless, otherwise generated."),
  RateLimitLimit: countHeader('Requests allowed per second for the key; absent if rate limits are off.'),
  RateLimitRemaining: countHeader('Requests remaining in this second.'),
  RateLimitReset: countHeader('Seconds until the limit resets.'),
  RetryAfter: countHeader('Seconds after which to try again.'),
  IdempotentReplayed: textHeader(
    '`true` if this is the stored response to the first request with this idempotency key.',
    {
      type: 'string',
      enum: ['true'],
    },
  ),
  Challenge: textHeader('How to authenticate (RFC 9110 §11.6.1).'),
} as const;

type HeaderName = keyof typeof HEADERS;

const HEADER_NAMES: Readonly<Record<HeaderName, string>> = {
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
        names.map((name) => [HEADER_NAMES[name], { $ref: `#/components/headers/${name}` }]),
      );
    }
  }
  document.components = { ...document.components, headers: { ...HEADERS } };
}

function addTransportErrors({ responses }: Operation): void {
  if (!responses) return;
  const template = responses['500'];
  for (const [status, description] of Object.entries(TRANSPORT_ERRORS)) {
    responses[status] = template ? toTransportError(template, Number(status), description) : { description };
  }
}

function toTransportError(template: Response, status: number, description: string): Response {
  const response = structuredClone(template);
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
          code: typeof error.code === 'number' ? META_PARAMETER_CODE : 'INVALID_REQUEST',
          message: description,
        },
      }
    : { message: description };
  const shownCode = code === undefined ? {} : { code: typeof code === 'string' ? String(status) : status };
  if (content && moreInfo !== undefined) {
    const details = {
      code: TWILIO_PARAMETER_CODE,
      more_info: moreInfo.replace(String(code), String(TWILIO_PARAMETER_CODE)),
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
  const isIdempotent = parameters.some(({ name }) => name === 'Idempotency-Key');
  if (isIdempotent && (status === 200 || status === 201)) names.push('IdempotentReplayed');
  return names;
}

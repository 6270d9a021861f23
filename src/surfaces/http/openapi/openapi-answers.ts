import type { Document, Operation, Response } from './openapi-errors.js';

/** Errors of the connection, which any operation may answer with before its handler runs. */
const TRANSPORT_ERRORS = {
  408: 'The request took too long to arrive.',
  417: 'The only expectation that is met is 100-continue.',
  431: 'The request headers are too large, or too many.',
  501: 'The request has a Transfer-Encoding other than chunked.',
} as const;

/** What Meta's surface says of a request that cannot be read (Meta, "Error codes"). */
const META_PARAMETER = 100;
/** And Twilio's: an invalid parameter. */
const TWILIO_PARAMETER = 20422;

const text = (description: string, schema: object = { type: 'string' }) => ({ description, schema });
const count = (description: string) => text(description, { type: 'integer', minimum: 0 });

/** By the name of their component; the header's own name is in `NAMES`. */
const HEADERS = {
  RequestId: text("The request's id: the caller's own `X-Request-Id` where it is harmless."),
  RateLimitLimit: count('Requests of the key in a second; absent where rate limits are off.'),
  RateLimitRemaining: count('Requests that are left in this second.'),
  RateLimitReset: count('Seconds until the count begins anew.'),
  RetryAfter: count('Seconds after which to try again.'),
  IdempotentReplayed: text('`true` where the answer repeats that of the first request with this key.', {
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

/** Adds to every operation what the server answers without being told by the endpoint: headers, and transport errors. */
export function completeAnswers(document: Document): void {
  for (const operation of Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods))) {
    addTransportErrors(operation);
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      const names = headersOf(operation, Number(status));
      response.headers = Object.fromEntries(
        names.map((name) => [NAMES[name], { $ref: `#/components/headers/${name}` }]),
      );
    }
  }
  document.components = { ...document.components, headers: { ...HEADERS } };
}

/** In the shape of the operation's other errors; where it has none, as those of health, by status alone. */
function addTransportErrors({ responses }: Operation): void {
  if (!responses) return;
  const pattern = responses['500'];
  for (const [status, description] of Object.entries(TRANSPORT_ERRORS)) {
    responses[status] = pattern ? likeInternal(pattern, Number(status), description) : { description };
  }
}

function likeInternal(pattern: Response, status: number, description: string): Response {
  const made = structuredClone(pattern);
  const content = made.content?.['application/json'];
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
    const told = {
      code: TWILIO_PARAMETER,
      more_info: moreInfo.replace(String(code), String(TWILIO_PARAMETER)),
      status,
    };
    content.schema = { ...content.schema, description };
    content.example = { message: description, ...told };
    return { ...made, description };
  }
  if (content) {
    content.schema = { ...content.schema, description };
    content.example = { ...(content.example as object), ...shownError, ...shownCode };
  }
  return { ...made, description };
}

function headersOf({ security, parameters = [] }: Operation, status: number): HeaderName[] {
  const names: HeaderName[] = ['RequestId'];
  if (status === 401) names.push('Challenge');
  const beforeTheKey = status === 401 || String(status) in TRANSPORT_ERRORS;
  // Sessions of the console have no limit of requests in a second.
  const byKey = security?.some((scheme) => !('session' in scheme));
  if (byKey && !beforeTheKey) names.push('RateLimitLimit', 'RateLimitRemaining', 'RateLimitReset');
  if (status === 429 || status === 503) names.push('RetryAfter');
  const idempotent = parameters.some(({ name }) => name === 'Idempotency-Key');
  if (idempotent && (status === 200 || status === 201)) names.push('IdempotentReplayed');
  return names;
}

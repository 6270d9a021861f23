import type { ErrorCode } from '../../platform/errors/app-error.js';
import type { ErrorRenderer, PublicError } from './errors.js';

/** What an error status means in both surfaces, as `/openapi.json` tells it. */
export const ERROR_DESCRIPTIONS = {
  402: 'The balance is too low; nothing was queued. The answer says what is needed and what is there.',
  404: 'The resource does not exist.',
  410: 'What is asked for was there, and is there no more.',
  412: 'It was changed since it was read; nothing was changed.',
  413: 'The request body is too large.',
  415: 'The request body is not JSON.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too many requests; `Retry-After` says when to try again.',
  500: 'Internal server error.',
  503: 'The server cannot take the request now; it may or may not have been accepted.',
} as const;

/** The id of the request in examples, where a surface tells it. */
const EXAMPLE_REQUEST_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55';

type Example = Omit<PublicError, 'status' | 'fields'> & Partial<Pick<PublicError, 'fields'>>;

const example = (code: ErrorCode, message: string, rest: Partial<Example> = {}): Example => ({
  code,
  message,
  ...rest,
});

/** An answer of each status, as `/openapi.json` shows it. That of 400 stands with each surface's schema. */
const EXAMPLES: Readonly<Record<number, Example>> = {
  401: example('UNAUTHORIZED', 'The API key is missing or invalid.'),
  402: example(
    'INSUFFICIENT_BALANCE',
    'The balance of the account is too low for this request: it costs 0.30 USD, and the balance is 0.12 USD.',
    { funds: { needed: 0.3, available: 0.12, currency: 'USD' } },
  ),
  403: example('FORBIDDEN', 'The API key does not allow this operation.'),
  404: example('NOT_FOUND', 'The requested resource does not exist.'),
  409: example('CONFLICT', 'The resource is in a state that does not allow it.'),
  410: example('GONE', 'after is older than 7 days, for which changes are kept: begin anew without it', {
    fields: [{ field: 'after', rule: 'is older than 7 days, for which changes are kept' }],
  }),
  412: example('CHANGED_MEANWHILE', 'Somebody else has changed it since you opened it.'),
  413: example('PAYLOAD_TOO_LARGE', 'The request body is too large.'),
  415: example('UNSUPPORTED_MEDIA_TYPE', 'The request body must have Content-Type application/json.'),
  422: example('IDEMPOTENCY_MISMATCH', 'Idempotency-Key was already used for a request with another body.', {
    fields: [{ field: 'Idempotency-Key', rule: 'must not be reused for another request' }],
  }),
  429: example('RATE_LIMITED', 'Too many requests with this key.'),
  500: example('INTERNAL', 'Internal server error.'),
  503: example('UNAVAILABLE', 'The store does not answer at the moment.'),
};

/** The errors of a surface. */
export interface ErrorShape<T extends object, S extends number> {
  /** Its examples are those of 400. */
  schema: T;
  /** That of 402, which tells what is needed and what is there. */
  funded: T;
  render: ErrorRenderer;
  descriptions: Readonly<Record<S, string>>;
}

/** The responses of an endpoint that are errors, each with its description and an example. */
export function errorResponses<T extends object, S extends number>(
  { schema, funded, render, descriptions }: ErrorShape<T, S>,
  statuses: readonly S[],
) {
  return Object.fromEntries(
    statuses.map((status) => {
      const shown = EXAMPLES[status];
      const examples = shown && { examples: [render({ status, fields: [], ...shown }, EXAMPLE_REQUEST_ID)] };
      return [status, { ...(status === 402 ? funded : schema), description: descriptions[status], ...examples }];
    }),
  );
}

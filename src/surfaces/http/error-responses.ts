import type { ErrorCode } from '../../platform/errors/app-error.js';
import type { ErrorRenderer, PublicError } from './errors.js';

/** Default descriptions of error responses, which surfaces may override. */
const DESCRIPTIONS = {
  402: 'The balance is too low; nothing was queued. The response contains the required and the available amount.',
  404: 'The resource does not exist.',
  410: 'The requested data no longer exists.',
  412: 'The resource was changed after you read it; your change was not applied.',
  413: 'The request body is too large.',
  415: 'The request body is not JSON.',
  422: 'The Idempotency-Key was used for a different request.',
  429: 'Too many requests; `Retry-After` says when to try again.',
  500: 'Internal server error.',
  503: 'The server is temporarily unavailable. The request may or may not have been accepted.',
} as const;

const EXAMPLE_REQUEST_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55';

type Example = Omit<PublicError, 'status' | 'fields'> & Partial<Pick<PublicError, 'fields'>>;

const example = (code: ErrorCode, message: string, rest: Partial<Example> = {}): Example => ({
  code,
  message,
  ...rest,
});

/** The example of a 400 response is in each surface's own schema. */
const EXAMPLES: Readonly<Record<number, Example>> = {
  401: example('UNAUTHORIZED', 'The API key is invalid.'),
  402: example(
    'INSUFFICIENT_BALANCE',
    'The balance of the account is too low for this request: it costs 0.30 USD, and the balance is 0.12 USD.',
    { funds: { needed: 0.3, available: 0.12, currency: 'USD' } },
  ),
  403: example('FORBIDDEN', 'The API key does not allow this operation.'),
  404: example('NOT_FOUND', 'The requested resource does not exist.'),
  409: example('CONFLICT', 'The resource is in a state that does not allow it.'),
  410: example('GONE', 'after is older than the 7 days for which changes are kept: start again without a cursor', {
    fields: [{ field: 'after', rule: 'is older than the 7 days for which changes are kept' }],
  }),
  412: example('CHANGED_MEANWHILE', 'Somebody else has changed this since you opened it.'),
  413: example('PAYLOAD_TOO_LARGE', 'The request body is too large.'),
  415: example('UNSUPPORTED_MEDIA_TYPE', 'The request body must have Content-Type application/json.'),
  422: example('IDEMPOTENCY_MISMATCH', 'Idempotency-Key was already used for a request with another body.', {
    fields: [{ field: 'Idempotency-Key', rule: 'must not be reused for another request' }],
  }),
  429: example('RATE_LIMITED', 'Too many requests with this key.'),
  500: example('INTERNAL', 'Internal server error.'),
  503: example('UNAVAILABLE', 'The store does not answer at the moment.'),
};

interface ErrorShape<T extends object> {
  schema: T;
  /** Schema of a 402 response, if it differs from the schema of other errors. */
  funded?: T;
  render: ErrorRenderer;
}

export function defineErrorResponses<T extends object, S extends number>(
  { schema, funded = schema, render }: ErrorShape<T>,
  overrides: Readonly<Record<S, string>>,
) {
  type Status = S | keyof typeof DESCRIPTIONS;
  const descriptions = { ...DESCRIPTIONS, ...overrides } as Readonly<Record<Status, string>>;
  return (statuses: readonly Status[]) =>
    Object.fromEntries(
      statuses.map((status) => {
        const exampleError = EXAMPLES[status];
        const examples = exampleError && {
          examples: [render({ status, fields: [], ...exampleError }, EXAMPLE_REQUEST_ID)],
        };
        return [status, { ...(status === 402 ? funded : schema), description: descriptions[status], ...examples }];
      }),
    );
}

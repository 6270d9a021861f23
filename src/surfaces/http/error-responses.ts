/** What an error status means in both surfaces, as `/openapi.json` tells it. */
export const ERROR_DESCRIPTIONS = {
  402: 'The balance is too low; nothing was queued.',
  404: 'The resource does not exist.',
  413: 'The request body is too large.',
  415: 'The request body is not JSON.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too many requests; `Retry-After` says when to try again.',
  500: 'Internal server error.',
  503: 'The server cannot take the request now; it may or may not have been accepted.',
} as const;

/** The responses of an endpoint that are errors, each with its description. */
export function errorResponses<T extends object, S extends number>(
  schema: T,
  descriptions: Readonly<Record<S, string>>,
  statuses: readonly S[],
) {
  return Object.fromEntries(statuses.map((status) => [status, { ...schema, description: descriptions[status] }]));
}

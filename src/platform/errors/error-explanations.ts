import type { ErrorCode } from './app-error.js';

/** Shown in docs/reference/errors.md, in Markdown. */
export interface Explanation {
  happened: string;
  action: string;
}

export const ERROR_EXPLANATIONS: Readonly<Record<ErrorCode, Explanation>> = {
  INVALID_REQUEST: {
    happened: 'A field is missing or breaks a rule, or the body is not valid JSON. Nothing was changed or charged.',
    action: 'Correct the fields that the response lists, then send the request again.',
  },
  CARRIER_REFUSED: {
    happened: 'The carrier or Meta refused a valid request. The price of a message was refunded.',
    action: "Read the message: it has the carrier's reason. Do not repeat the request unchanged.",
  },
  OPTED_OUT: {
    happened: 'The recipient asked for no more messages. The price was refunded.',
    action: 'Remove the recipient from your lists. Only the recipient can opt in again.',
  },
  UNAUTHORIZED: {
    happened: 'A header is missing, or the key or its secret is wrong or revoked.',
    action: 'Check the headers against [Authentication and scopes](authentication.md).',
  },
  INSUFFICIENT_BALANCE: {
    happened: 'The request costs more than the balance. Nothing was queued. `funds` has both amounts.',
    action: 'Ask the operator of the server to add credit, then send the request again.',
  },
  FORBIDDEN: {
    happened: 'The key does not have the required scope, or cannot use this channel. Or the account or the channel is disabled.',
    action: 'Use a key with the scope that the message names, or ask the operator to enable the account or channel.',
  },
  CONFIRMATION_NEEDED: {
    happened: 'Only in the console: the change needs a recent confirmation of who you are.',
    action: 'Confirm with your password or a code of your second factor.',
  },
  WINDOW_EXPIRED: {
    happened: 'The contact has not written to this channel within the last 24 hours.',
    action: 'Send a template instead, or wait for the next message of the contact.',
  },
  DESTINATION_REFUSED: {
    happened: 'The account or key may not send to this country or kind of number.',
    action: 'Ask the operator to allow the destination: [Limit spending](../run/spending.md).',
  },
  NOT_FOUND: {
    happened: 'The path does not exist, or your account has no object with this ID.',
    action: 'Check the method, the path and the ID. An object of another account is never found.',
  },
  CONFLICT: {
    happened: 'The object exists already, or its state does not allow the change.',
    action: 'Read the object, then decide. If the result has been deleted, use a new `Idempotency-Key`.',
  },
  GONE: {
    happened: 'The cursor is too old, or the stored file no longer exists.',
    action: 'Start `GET /v2/changes` again without a cursor, or upload the file again.',
  },
  CHANGED_MEANWHILE: {
    happened: 'Only in the console: somebody else changed the object after you opened it.',
    action: 'Review the current version, then make your change again.',
  },
  PAYLOAD_TOO_LARGE: {
    happened: 'The body or the file is larger than the limit.',
    action: 'Send fewer recipients or a smaller file: [Limits](limits.md).',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    happened: 'The body has another `Content-Type`, charset or compression than the operation accepts.',
    action: 'Send `Content-Type: application/json` in UTF-8, without `Content-Encoding`.',
  },
  IDEMPOTENCY_MISMATCH: {
    happened: 'This `Idempotency-Key` was used for a request with another body or path.',
    action: 'Use a new key for a new request, and repeat the same request with the same key.',
  },
  RATE_LIMITED: {
    happened: 'The key or the address sent too many requests.',
    action: 'Wait for the seconds in `Retry-After`, then send the request again.',
  },
  LIMIT_REACHED: {
    happened: 'The sends of the account or key have reached a limit for their number or price.',
    action: 'Wait for `Retry-After`, or ask the operator to raise the limit: [Limit spending](../run/spending.md).',
  },
  SENDING_HELD: {
    happened: 'The sends look like SMS pumping, so numbers of this kind are held for some minutes.',
    action: 'Stop unwanted sign-ups, or ask the operator to release the numbers: [Limit spending](../run/spending.md).',
  },
  INTERNAL: {
    happened: 'The server failed unexpectedly. The result is unknown.',
    action: 'Repeat the request with its `Idempotency-Key`. Give the operator the `X-Request-Id` of the response.',
  },
  UNAVAILABLE: {
    happened: 'The database did not respond in time, or too many requests wait. The result is unknown.',
    action: 'Repeat the request after `Retry-After`, with its `Idempotency-Key`.',
  },
};

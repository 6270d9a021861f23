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
    action: "Read the message: it contains the carrier's reason. Do not repeat the request unchanged.",
  },
  OPTED_OUT: {
    happened: 'The recipient has opted out of messages. The price was refunded.',
    action: 'Remove the recipient from your lists. They can opt in again by sending START.',
  },
  UNAUTHORIZED: {
    happened: 'A header is missing, or the key or its secret is wrong or revoked.',
    action: 'Compare the headers with [Authentication and scopes](authentication.md).',
  },
  INSUFFICIENT_BALANCE: {
    happened: 'The request costs more than the balance. Nothing was queued. `funds` contains both amounts.',
    action: 'Ask the operator of the server to add credit, then send the request again.',
  },
  FORBIDDEN: {
    happened: 'The key lacks the required scope or cannot use this channel, or the account or channel is disabled.',
    action: 'Use a key with the scope that the message names, or ask the operator to enable the account or channel.',
  },
  CONFIRMATION_NEEDED: {
    happened: 'Only in the console: the change needs a recent confirmation of who you are.',
    action: 'Confirm with your password or a code from your second factor.',
  },
  WINDOW_EXPIRED: {
    happened: 'The contact has not written to this channel within the last 24 hours.',
    action: 'Send a template instead, or wait for the contact to write again.',
  },
  FREQUENCY_CAP: {
    happened: 'A recipient has already got as many marketing messages as the account allows in this period.',
    action:
      'Wait until the time in the message, or leave the recipient out: [Cap marketing messages](../send/frequency-caps.md).',
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
    happened: 'The object already exists, or its state does not allow the change.',
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
    happened: 'The operation does not accept the `Content-Type`, charset or compression of the body.',
    action: 'Send `Content-Type: application/json` in UTF-8, without `Content-Encoding`.',
  },
  IDEMPOTENCY_MISMATCH: {
    happened: 'This `Idempotency-Key` was already used for a request with a different body or path.',
    action: 'Use a new key for each new request. Use the same key only to repeat the same request.',
  },
  RATE_LIMITED: {
    happened: 'The key or the IP address sent too many requests.',
    action: 'Wait for the seconds in `Retry-After`, then send the request again.',
  },
  LIMIT_REACHED: {
    happened: 'The account or key has reached a limit on the number or the price of its sends.',
    action:
      'Wait for the seconds in `Retry-After`, or ask the operator to raise the limit: [Limit spending](../run/spending.md).',
  },
  SENDING_HELD: {
    happened: 'The sends look like SMS pumping, so these and similar numbers are temporarily on hold.',
    action: 'Stop unwanted sign-ups, or ask the operator to release the numbers: [Limit spending](../run/spending.md).',
  },
  INTERNAL: {
    happened: 'The server failed unexpectedly. The result is unknown.',
    action: 'Repeat the request with its `Idempotency-Key`. Give the operator the `X-Request-Id` of the response.',
  },
  UNAVAILABLE: {
    happened: 'The database did not respond in time, or too many requests are waiting. The result is unknown.',
    action: 'Repeat the request after `Retry-After`, with its `Idempotency-Key`.',
  },
};

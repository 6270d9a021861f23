/** All errors that a caller can get, with their HTTP status. Each surface renders them in its own format. */
export const ERROR_STATUS = {
  INVALID_REQUEST: 400,
  /** The carrier permanently refused the message of a valid request. */
  CARRIER_REFUSED: 400,
  /** The recipient has opted out of messages from this sender. */
  OPTED_OUT: 400,
  UNAUTHORIZED: 401,
  INSUFFICIENT_BALANCE: 402,
  FORBIDDEN: 403,
  /** The signed-in operator must confirm their identity again. */
  CONFIRMATION_NEEDED: 403,
  WINDOW_EXPIRED: 403,
  /** A spending guard of the account or API key does not allow this destination. */
  DESTINATION_REFUSED: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  GONE: 410,
  /** The object was changed concurrently since it was read. */
  CHANGED_MEANWHILE: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  /** A spending guard's limit for the account or API key would be exceeded. */
  LIMIT_REACHED: 429,
  /** The sends look like SMS pumping, and numbers of this kind are blocked for some minutes. */
  SENDING_HELD: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** A field of a request and the rule it breaks. `field` is a dotted path such as `to` or `template_data.type`. */
export interface FieldProblem {
  field: string;
  rule: string;
}

/** The price of a request and the balance, in currency units. */
export interface Funds {
  needed: number;
  available: number;
  /** ISO 4217. */
  currency: string;
}

/** A carrier's explanation of a refusal, written for people. Either part may be empty. */
export interface CarrierExplanation {
  title: string;
  text: string;
}

/** An error that callers can see unchanged. Its message names the field and the rule, and reveals no internals. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly FieldProblem[];
  /** Only with INSUFFICIENT_BALANCE, if known. */
  readonly funds: Funds | undefined;
  /** Only with RATE_LIMITED, LIMIT_REACHED and SENDING_HELD: when to try again, if known. */
  readonly retryAfterSeconds: number | undefined;
  /** Only with CARRIER_REFUSED: the carrier's own error code, if there is one. */
  readonly carrierCode: string | undefined;
  /** Only with CARRIER_REFUSED: the carrier's explanation, if there is one. The message contains it too. */
  readonly carrierExplanation: CarrierExplanation | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    fields: readonly FieldProblem[] = [],
    {
      funds,
      retryAfterSeconds,
      carrierCode,
      carrierExplanation,
      ...options
    }: ErrorOptions & {
      funds?: Funds;
      retryAfterSeconds?: number;
      carrierCode?: string | undefined;
      carrierExplanation?: CarrierExplanation | undefined;
    } = {},
  ) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.fields = fields;
    this.funds = funds;
    this.retryAfterSeconds = retryAfterSeconds;
    this.carrierCode = carrierCode;
    this.carrierExplanation = carrierExplanation;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/**
 * Creates a 400 error about one field.
 * @param field dotted path, for example `to`
 * @param rule continues a sentence that starts with the field's name, for example `must not be empty`
 */
export function invalidField(field: string, rule: string): AppError {
  return new AppError('INVALID_REQUEST', `${field} ${rule}`, [{ field, rule }]);
}

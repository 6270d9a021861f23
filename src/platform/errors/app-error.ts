/**
 * The closed list of what can go wrong from a caller's view, with the HTTP status of each. A surface renders them in
 * its own shape; nothing else reaches a caller.
 */
export const ERROR_STATUS = {
  INVALID_REQUEST: 400,
  /** The request was in order, but the carrier refused its message for good. */
  CARRIER_REFUSED: 400,
  /** The recipient wants no more messages from this sender. */
  OPTED_OUT: 400,
  UNAUTHORIZED: 401,
  INSUFFICIENT_BALANCE: 402,
  FORBIDDEN: 403,
  /** Who is signed in must prove again who they are. */
  CONFIRMATION_NEEDED: 403,
  WINDOW_EXPIRED: 403,
  /** The guard of the account or key does not let it send there. */
  DESTINATION_REFUSED: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  GONE: 410,
  /** Somebody else has changed it since it was read. */
  CHANGED_MEANWHILE: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  /** The send would go beyond a limit of the guard of its account or key. */
  LIMIT_REACHED: 429,
  /** What is sent to its recipients looks like pumping, and is held for some minutes. */
  SENDING_HELD: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** One field of a request and the rule that it breaks. `field` is a dotted path such as `to` or `template_data.type`. */
export interface FieldProblem {
  field: string;
  rule: string;
}

/** What a request would cost and what is there, in units of the currency. */
export interface Funds {
  needed: number;
  available: number;
  /** ISO 4217. */
  currency: string;
}

/** What a carrier says of its refusal for people to read; either may be empty. */
export interface WordsForPeople {
  title: string;
  text: string;
}

/** An error that a caller may see as it is: its message names the field and the rule, and holds no internals. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly FieldProblem[];
  /** With INSUFFICIENT_BALANCE, where they are known. */
  readonly funds: Funds | undefined;
  /** With RATE_LIMITED, LIMIT_REACHED and SENDING_HELD, after how many seconds it may be tried again, where that is known. */
  readonly retryAfterSeconds: number | undefined;
  /** With CARRIER_REFUSED, the carrier's own code for it, where there is one. */
  readonly carrierCode: string | undefined;
  /** With CARRIER_REFUSED, the carrier's words for people, where there are some; the message has them too. */
  readonly forPeople: WordsForPeople | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    fields: readonly FieldProblem[] = [],
    {
      funds,
      retryAfterSeconds,
      carrierCode,
      forPeople,
      ...options
    }: ErrorOptions & {
      funds?: Funds;
      retryAfterSeconds?: number;
      carrierCode?: string | undefined;
      forPeople?: WordsForPeople | undefined;
    } = {},
  ) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.fields = fields;
    this.funds = funds;
    this.retryAfterSeconds = retryAfterSeconds;
    this.carrierCode = carrierCode;
    this.forPeople = forPeople;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/**
 * A 400 about one field.
 * @param field dotted path of the field, e.g. `to`
 * @param rule the rule as a sentence part that follows the field's name, e.g. `must not be empty`
 */
export function invalidField(field: string, rule: string): AppError {
  return new AppError('INVALID_REQUEST', `${field} ${rule}`, [{ field, rule }]);
}

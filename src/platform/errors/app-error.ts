export const ERROR_STATUS = {
  INVALID_REQUEST: 400,
  /** The carrier refused a valid request. */
  CARRIER_REFUSED: 400,
  OPTED_OUT: 400,
  /** The recipient has got as many marketing messages as the account allows. */
  FREQUENCY_CAP: 400,
  UNAUTHORIZED: 401,
  INSUFFICIENT_BALANCE: 402,
  FORBIDDEN: 403,
  CONFIRMATION_NEEDED: 403,
  WINDOW_EXPIRED: 403,
  /** A spending guard does not allow the destination. */
  DESTINATION_REFUSED: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  GONE: 410,
  CHANGED_MEANWHILE: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  /** A spending guard's limit. */
  LIMIT_REACHED: 429,
  /** The sends look like SMS pumping, so similar numbers are blocked for some minutes. */
  SENDING_HELD: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export type ProblemKind =
  /** The field is missing, or none of several alternative fields is set. */
  | 'missing'
  | 'too-long'
  /** A password or a code in the request is wrong. */
  | 'wrong-proof'
  | 'missing-parameter'
  | 'surplus-parameter'
  | 'template-paused'
  | 'template-disabled'
  /** For any other reason. */
  | 'template-not-approved'
  | 'no-phone-number';

/** `field` is a dotted path such as `to` or `template_data.type`. */
export interface FieldProblem {
  field: string;
  /** For readers only. */
  rule: string;
  /** Set only where code depends on the kind of problem. */
  kind?: ProblemKind;
}

/** In currency units. */
export interface Funds {
  needed: number;
  available: number;
  /** ISO 4217. */
  currency: string;
}

/** The carrier's title or text may be empty. */
export interface CarrierExplanation {
  title: string;
  text: string;
}

/** Callers see the message unchanged, so it must reveal no internals. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly FieldProblem[];
  /** Only with INSUFFICIENT_BALANCE. */
  readonly funds: Funds | undefined;
  /** Set only with RATE_LIMITED, LIMIT_REACHED and SENDING_HELD. */
  readonly retryAfterSeconds: number | undefined;
  readonly carrierCode: string | undefined;
  /** The error message also contains the carrier's explanation. */
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

/** @param rule continues a sentence that starts with the field's name, for example `must not be empty` */
export function invalidField(field: string, rule: string, kind?: ProblemKind): AppError {
  return new AppError('INVALID_REQUEST', `${field} ${rule}`, [{ field, rule, ...(kind && { kind }) }]);
}

/** @param resource for example `contact` */
export function notFound(resource: string, field = 'id'): AppError {
  return new AppError('NOT_FOUND', `No ${resource} has this ${field}.`);
}

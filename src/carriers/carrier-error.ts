import type { CarrierExplanation } from '../platform/errors/app-error.js';
import type { AcceptedPart } from './carrier.js';
import type { FailureCode, VendorCode } from './failure-codes.js';

/** Error code for a message that never left this process. */
export const NOT_SUBMITTED = 'NOT_SUBMITTED' satisfies FailureCode;

export interface CarrierErrorOptions {
  retryable: boolean;
  answerLost?: boolean;
  /** True if nothing was sent to the carrier, so that another carrier may be tried immediately. */
  notTried?: boolean;
  /** Parts that the carrier has accepted; the next attempt does not send these parts again. */
  acceptedParts?: readonly AcceptedPart[];
  pauseMs?: number;
  /** True if retrying is useless until an operator resumes the channel. */
  channelPaused?: boolean;
  carrierExplanation?: CarrierExplanation | undefined;
  cause?: unknown;
}

/** Clients see the `code` and `message` of a CarrierError. */
export class CarrierError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  /** True if the carrier may have accepted the message, whose price is then never refunded. */
  readonly answerLost: boolean;
  readonly notTried: boolean;
  /** A message with accepted parts is never refunded or sent through another carrier. */
  readonly acceptedParts: readonly AcceptedPart[];
  readonly pauseMs: number;
  readonly channelPaused: boolean;
  readonly carrierExplanation: CarrierExplanation | undefined;

  constructor(code: string, message: string, options: CarrierErrorOptions) {
    super(message, { cause: options.cause });
    this.name = 'CarrierError';
    this.code = code;
    this.retryable = options.retryable;
    this.answerLost = options.answerLost ?? false;
    this.notTried = options.notTried ?? false;
    this.acceptedParts = options.acceptedParts ?? [];
    this.pauseMs = options.pauseMs ?? 0;
    this.channelPaused = options.channelPaused ?? false;
    this.carrierExplanation = options.carrierExplanation;
  }

  /** Creates an error for a message that was not submitted, and that another worker may send immediately. */
  static notSubmitted(message = 'The worker stopped before it handed the message over.'): CarrierError {
    return new CarrierError(NOT_SUBMITTED, message, { retryable: true, notTried: true });
  }

  static answerLost(
    message: string,
    { code = 'ANSWER_LOST', cause }: { code?: FailureCode | VendorCode; cause?: unknown } = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable: true, answerLost: true, cause });
  }

  static unavailable(
    code: FailureCode | VendorCode,
    message: string,
    options: Pick<CarrierErrorOptions, 'pauseMs' | 'cause'> = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable: true, notTried: true, ...options });
  }

  /** @param pauseMs remaining time */
  static throttled(pauseMs: number, code: FailureCode | VendorCode, message: string): CarrierError {
    return CarrierError.unavailable(code, message, { pauseMs });
  }

  /** Creates an error for a message that must no longer be sent, for example because its validity has ended. */
  static withheld(code: FailureCode | VendorCode, message: string): CarrierError {
    return new CarrierError(code, message, { retryable: false, notTried: true });
  }

  static refused(
    code: FailureCode | VendorCode,
    message: string,
    { retryable = false, ...options }: Partial<Pick<CarrierErrorOptions, 'carrierExplanation' | 'retryable'>> = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable, ...options });
  }

  with(changes: Partial<CarrierErrorOptions>): CarrierError {
    const {
      code,
      message,
      retryable,
      answerLost,
      notTried,
      acceptedParts,
      pauseMs,
      channelPaused,
      carrierExplanation,
      cause,
    } = this;
    const options = {
      retryable,
      answerLost,
      notTried,
      acceptedParts,
      pauseMs,
      channelPaused,
      carrierExplanation,
      cause,
    };
    return new CarrierError(code, message, { ...options, ...changes });
  }
}

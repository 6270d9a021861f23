import type { CarrierExplanation } from '../platform/errors/app-error.js';
import type { AcceptedPart } from './carrier.js';

/** The message never left this process, so another worker may take it at once. */
export const NOT_SUBMITTED = 'NOT_SUBMITTED';

export interface CarrierErrorOptions {
  /** Whether another attempt may succeed. */
  retryable: boolean;
  /** The message, or part of it, may have been accepted. */
  answerLost?: boolean;
  /** Nothing left this process: another carrier may be tried at once. */
  notTried?: boolean;
  /** Parts accepted so far, in this attempt or earlier. The next attempt sends only the others. */
  acceptedParts?: readonly AcceptedPart[];
  /** How long the carrier asks us to wait before retrying this message. */
  pauseMs?: number;
  /** The channel was paused. Retrying is useless until an operator resumes it. */
  channelPaused?: boolean;
  /** The carrier's explanation for people; also part of the message. */
  carrierExplanation?: CarrierExplanation | undefined;
  cause?: unknown;
}

/**
 * Why a carrier did not accept a message. `code` and `message` are shown to clients. The sender decides on the resulting
 * status. Each static method creates one common kind of failure.
 */
export class CarrierError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  /** The message may have been accepted, so it is never refunded. */
  readonly answerLost: boolean;
  readonly notTried: boolean;
  /** A message with accepted parts is never refunded and is not rerouted to another carrier. */
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

  /** The process or its lease ended before the message left. The next worker sends it without delay. */
  static notSubmitted(message = 'The worker stopped before it handed the message over.'): CarrierError {
    return new CarrierError(NOT_SUBMITTED, message, { retryable: true, notTried: true });
  }

  /** The message left; whether the carrier accepted it is unknown. */
  static answerLost(
    message: string,
    { code = 'ANSWER_LOST', cause }: { code?: string; cause?: unknown } = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable: true, answerLost: true, cause });
  }

  /** The message was not submitted because the carrier is unreachable at the moment. */
  static unavailable(
    code: string,
    message: string,
    options: Pick<CarrierErrorOptions, 'pauseMs' | 'cause'> = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable: true, notTried: true, ...options });
  }

  /**
   * The message was not submitted because the carrier asked for a pause.
   * @param pauseMs remaining time of the pause
   */
  static throttled(pauseMs: number, code: string, message: string): CarrierError {
    return CarrierError.unavailable(code, message, { pauseMs });
  }

  /** The message was not submitted because a rule forbids it by now. The sender knows the rule and ends the message. */
  static withheld(code: string, message: string): CarrierError {
    return new CarrierError(code, message, { retryable: false, notTried: true });
  }

  /** The carrier rejected the message: for good, unless `retryable`. */
  static refused(
    code: string,
    message: string,
    { retryable = false, ...options }: Partial<Pick<CarrierErrorOptions, 'carrierExplanation' | 'retryable'>> = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable, ...options });
  }

  /** Returns a copy with some options changed. */
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

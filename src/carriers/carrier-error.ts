import type { CarrierExplanation } from '../platform/errors/app-error.js';
import type { AcceptedPart } from './carrier.js';

/** The message never left this process. */
export const NOT_SUBMITTED = 'NOT_SUBMITTED';

export interface CarrierErrorOptions {
  /** Whether another attempt may succeed. */
  retryable: boolean;
  /** The message, or part of it, may have been accepted. */
  answerLost?: boolean;
  /** Nothing left this process: another carrier may be tried at once. */
  notTried?: boolean;
  /** Accepted in this or earlier attempts. The next attempt sends only the other parts. */
  acceptedParts?: readonly AcceptedPart[];
  /** How long the carrier asks us to wait. */
  pauseMs?: number;
  /** Retrying is useless until an operator resumes the channel. */
  channelPaused?: boolean;
  /** For people. Also part of the message. */
  carrierExplanation?: CarrierExplanation | undefined;
  cause?: unknown;
}

/** `code` and `message` are shown to clients. The sender decides on the resulting status. */
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

  /** The process or its lease ended first. The next worker sends the message without delay. */
  static notSubmitted(message = 'The worker stopped before it handed the message over.'): CarrierError {
    return new CarrierError(NOT_SUBMITTED, message, { retryable: true, notTried: true });
  }

  static answerLost(
    message: string,
    { code = 'ANSWER_LOST', cause }: { code?: string; cause?: unknown } = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable: true, answerLost: true, cause });
  }

  /** The carrier is unreachable at the moment. */
  static unavailable(
    code: string,
    message: string,
    options: Pick<CarrierErrorOptions, 'pauseMs' | 'cause'> = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable: true, notTried: true, ...options });
  }

  /** @param pauseMs remaining time of the pause */
  static throttled(pauseMs: number, code: string, message: string): CarrierError {
    return CarrierError.unavailable(code, message, { pauseMs });
  }

  /** A rule forbids the message by now. The sender knows the rule and ends the message. */
  static withheld(code: string, message: string): CarrierError {
    return new CarrierError(code, message, { retryable: false, notTried: true });
  }

  static refused(
    code: string,
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

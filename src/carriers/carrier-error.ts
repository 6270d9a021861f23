import type { CarrierExplanation } from '../platform/errors/app-error.js';
import type { AcceptedPart } from './carrier.js';

/** The message never left this process. */
export const NOT_SUBMITTED = 'NOT_SUBMITTED';

export interface CarrierErrorOptions {
  retryable: boolean;
  answerLost?: boolean;
  /** Nothing left this process: another carrier may be tried at once. */
  notTried?: boolean;
  /** The next attempt sends only the other parts. */
  acceptedParts?: readonly AcceptedPart[];
  pauseMs?: number;
  /** Retrying is useless until an operator resumes the channel. */
  channelPaused?: boolean;
  carrierExplanation?: CarrierExplanation | undefined;
  cause?: unknown;
}

/** `code` and `message` are shown to clients. */
export class CarrierError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  /** The message may have been accepted, so it is never refunded. */
  readonly answerLost: boolean;
  readonly notTried: boolean;
  /** A message with accepted parts is never refunded or rerouted to another carrier. */
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

  /** The next worker sends the message without delay. */
  static notSubmitted(message = 'The worker stopped before it handed the message over.'): CarrierError {
    return new CarrierError(NOT_SUBMITTED, message, { retryable: true, notTried: true });
  }

  static answerLost(
    message: string,
    { code = 'ANSWER_LOST', cause }: { code?: string; cause?: unknown } = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable: true, answerLost: true, cause });
  }

  static unavailable(
    code: string,
    message: string,
    options: Pick<CarrierErrorOptions, 'pauseMs' | 'cause'> = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable: true, notTried: true, ...options });
  }

  /** @param pauseMs remaining time */
  static throttled(pauseMs: number, code: string, message: string): CarrierError {
    return CarrierError.unavailable(code, message, { pauseMs });
  }

  /** The message may no longer be sent, for example because its validity has ended. */
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

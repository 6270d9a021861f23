import type { WordsForPeople } from '../platform/errors/app-error.js';
import type { AcceptedPart } from './carrier.js';

/** Code of a message that never left this process; another worker may take it at once. */
export const NOT_SUBMITTED = 'NOT_SUBMITTED';

export interface CarrierErrorOptions {
  /** Whether another try may help. */
  retryable: boolean;
  /** The message, or a part of it, may have gone out all the same. */
  answerLost?: boolean;
  /** Nothing has left this process: another carrier may be tried at once. */
  notTried?: boolean;
  /** Parts that were taken, in this attempt or before; those alone are missing at the next. */
  acceptedParts?: readonly AcceptedPart[];
  /** Milliseconds for which the carrier asks not to be tried with this message. */
  pauseMs?: number;
  /** The channel was paused: another try is of no use before an operator resumes it. */
  channelPaused?: boolean;
  /** The carrier's explanation for people. The message contains it too. */
  forPeople?: WordsForPeople | undefined;
  cause?: unknown;
}

/**
 * Why a carrier did not take a message, and whether another try may help. Only the sender turns it into a status. The
 * code and the message reach clients. What goes wrong with every carrier has a factory here.
 */
export class CarrierError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  /** The message may have gone out all the same: it is then never refunded. */
  readonly answerLost: boolean;
  readonly notTried: boolean;
  /** A message of which a part was taken is never refunded, and stays with its carrier. */
  readonly acceptedParts: readonly AcceptedPart[];
  readonly pauseMs: number;
  readonly channelPaused: boolean;
  readonly forPeople: WordsForPeople | undefined;

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
    this.forPeople = options.forPeople;
  }

  /**
   * The process ends, or its lease of the message does, before the message left. The sender gives such a message to the
   * next worker at once.
   */
  static notSubmitted(message = 'The worker stopped before it handed the message over.'): CarrierError {
    return new CarrierError(NOT_SUBMITTED, message, { retryable: true, notTried: true });
  }

  /** The message left, and whether it was taken is not known. */
  static answerLost(
    message: string,
    { code = 'ANSWER_LOST', cause }: { code?: string; cause?: unknown } = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable: true, answerLost: true, cause });
  }

  /** The carrier was not asked, for it cannot take messages now; it may at any time. */
  static unavailable(
    code: string,
    message: string,
    options: Pick<CarrierErrorOptions, 'pauseMs' | 'cause'> = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable: true, notTried: true, ...options });
  }

  /**
   * The carrier was not asked, for it wants to be left alone.
   * @param pauseMs milliseconds that are left of that
   */
  static throttled(pauseMs: number, code: string, message: string): CarrierError {
    return CarrierError.unavailable(code, message, { pauseMs });
  }

  /** The message did not leave, because a rule does not allow it any more. The sender knows which, and ends the message. */
  static withheld(code: string, message: string): CarrierError {
    return new CarrierError(code, message, { retryable: false, notTried: true });
  }

  /** The carrier was asked and did not take the message: for good, unless it is retryable. */
  static refused(
    code: string,
    message: string,
    { retryable = false, ...options }: Partial<Pick<CarrierErrorOptions, 'retryable' | 'forPeople'>> = {},
  ): CarrierError {
    return new CarrierError(code, message, { retryable, ...options });
  }

  /** The same error, and what was learned besides. */
  with(changes: Partial<CarrierErrorOptions>): CarrierError {
    const { code, message, retryable, answerLost, notTried, acceptedParts, pauseMs, channelPaused, forPeople, cause } =
      this;
    const options = { retryable, answerLost, notTried, acceptedParts, pauseMs, channelPaused, forPeople, cause };
    return new CarrierError(code, message, { ...options, ...changes });
  }
}

import { CarrierError } from '../../carrier.js';
import { mayBeTakenLater, statusName } from '../wire/command-status.js';
import type { NoResponseError } from './connection.js';

/** The SMSC answered that it did not take the message. The code is the status by its name, e.g. `ESME_RINVDSTADR`. */
export function refused(status: number, furtherRetries: readonly number[]): CarrierError {
  const name = statusName(status);
  const retryable = mayBeTakenLater(status, furtherRetries);
  const text = `The SMSC refused the message with command_status 0x${status.toString(16).padStart(8, '0')} (${name}).`;
  return new CarrierError(name, text, { retryable });
}

/** The message left, and it is unknown whether it was taken. */
export function answerLost(cause: NoResponseError): CarrierError {
  const text = `The SMSC did not answer: ${cause.message}.`;
  return new CarrierError('ANSWER_LOST', text, { retryable: true, answerLost: true, cause });
}

/** No bind stands. */
export function down(reason: string, pauseMs: number): CarrierError {
  const text = `There is no bind to the SMSC: ${reason}.`;
  return new CarrierError('SMSC_DOWN', text, { retryable: true, notTried: true, pauseMs });
}

/** Every bind pauses at the wish of the SMSC. */
export function paused(pauseMs: number): CarrierError {
  const text = 'The SMSC throttles; nothing is sent to it for a moment.';
  return new CarrierError('SMSC_THROTTLES', text, { retryable: true, notTried: true, pauseMs });
}

/** The process ends, or its lease of the message does. The sender gives such a message to the next worker at once. */
export function notSubmitted(): CarrierError {
  const text = 'The carrier was stopped before the message left.';
  return new CarrierError('NOT_SUBMITTED', text, { retryable: true, notTried: true });
}

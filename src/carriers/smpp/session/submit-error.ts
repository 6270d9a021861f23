import { CarrierError } from '../../carrier-error.js';
import { mayBeTakenLater, statusName } from '../wire/command-status.js';
import type { NoResponseError } from './connection.js';

const SMSC_DOWN = 'SMSC_DOWN';

/** The SMSC answered that it did not take the message. The code is the status by its name, e.g. `ESME_RINVDSTADR`. */
export function refused(status: number, furtherRetries: readonly number[]): CarrierError {
  const name = statusName(status);
  const retryable = mayBeTakenLater(status, furtherRetries);
  const text = `The SMSC refused the message with command_status 0x${status.toString(16).padStart(8, '0')} (${name}).`;
  return CarrierError.refused(name, text, { retryable });
}

/** The message left, and it is unknown whether it was taken. */
export function answerLost(cause: NoResponseError): CarrierError {
  return CarrierError.answerLost(`The SMSC did not answer: ${cause.message}.`, { cause });
}

/** Nothing was ever connected. */
export function notStarted(): CarrierError {
  return CarrierError.unavailable(SMSC_DOWN, 'The carrier was not started.');
}

/** No bind stands. */
export function down(reason: string, pauseMs: number): CarrierError {
  return CarrierError.unavailable(SMSC_DOWN, `There is no bind to the SMSC: ${reason}.`, { pauseMs });
}

/** Every bind pauses at the wish of the SMSC. */
export function paused(pauseMs: number): CarrierError {
  return CarrierError.throttled(pauseMs, 'SMSC_THROTTLES', 'The SMSC throttles; nothing is sent to it for a moment.');
}

/** The carrier ends, or the lease of the message does. */
export function notSubmitted(): CarrierError {
  return CarrierError.notSubmitted('The carrier was stopped before the message left.');
}

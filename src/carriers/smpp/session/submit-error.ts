import { CarrierError } from '../../carrier-error.js';
import { isRetryable, statusName } from '../wire/command-status.js';
import type { NoResponseError } from './connection.js';

const SMSC_DOWN = 'SMSC_DOWN';

/** The error code is the name of the status, e.g. `ESME_RINVDSTADR`. */
export function refusedError(status: number, extraRetryStatuses: readonly number[]): CarrierError {
  const name = statusName(status);
  const retryable = isRetryable(status, extraRetryStatuses);
  const text = `The SMSC refused the message with command_status 0x${status.toString(16).padStart(8, '0')} (${name}).`;
  return CarrierError.refused(name, text, { retryable });
}

export function responseLostError(cause: NoResponseError): CarrierError {
  return CarrierError.answerLost(`The SMSC did not answer: ${cause.message}.`, { cause });
}

export function notStartedError(): CarrierError {
  return CarrierError.unavailable(SMSC_DOWN, 'The carrier has not been started.');
}

export function downError(reason: string, pauseMs: number): CarrierError {
  return CarrierError.unavailable(SMSC_DOWN, `There is no bind to the SMSC: ${reason}.`, { pauseMs });
}

export function throttledError(pauseMs: number): CarrierError {
  return CarrierError.throttled(pauseMs, 'SMSC_THROTTLES', 'The SMSC is throttling; sending is paused.');
}

/** The carrier is being closed, or the lease of the message expires. */
export function notSubmittedError(): CarrierError {
  return CarrierError.notSubmitted('The carrier was stopped before the message was sent.');
}

import { CarrierError } from '../../carrier-error.js';
import { vendorCode } from '../../failure-codes.js';
import { getStatusName, isRetryable } from '../wire/command-status.js';
import type { NoResponseError } from './connection.js';

const SMSC_DOWN = 'SMSC_DOWN';

/** The error code is the name of the status, for example `ESME_RINVDSTADR`. */
export function createRefusedError(status: number, extraRetryStatuses: readonly number[]): CarrierError {
  const name = getStatusName(status);
  const retryable = isRetryable(status, extraRetryStatuses);
  const text = `The SMSC refused the message with command_status 0x${status.toString(16).padStart(8, '0')} (${name}).`;
  return CarrierError.refused(vendorCode(name), text, { retryable });
}

export function createResponseLostError(cause: NoResponseError): CarrierError {
  return CarrierError.answerLost(`The SMSC did not answer: ${cause.message}.`, { cause });
}

export function createNotStartedError(): CarrierError {
  return CarrierError.unavailable(SMSC_DOWN, 'The carrier has not been started.');
}

export function createDownError(reason: string, pauseMs: number): CarrierError {
  return CarrierError.unavailable(SMSC_DOWN, `There is no bind to the SMSC: ${reason}.`, { pauseMs });
}

export function createThrottledError(pauseMs: number): CarrierError {
  return CarrierError.throttled(pauseMs, 'SMSC_THROTTLES', 'The SMSC is throttling; sending is paused.');
}

/** Creates the error for a carrier that is being closed, or a message whose lease has expired. */
export function createNotSubmittedError(): CarrierError {
  return CarrierError.notSubmitted('The carrier was stopped before the message was sent.');
}

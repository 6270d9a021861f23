import type { FailureCode } from '../../../carriers/failure-codes.js';
import { CANCELED, type EndEvent } from '../../status/events.js';
import { OPTED_OUT, OPTED_OUT_MESSAGE } from './opted-out.js';

export type Obstacle = Pick<EndEvent, 'status' | 'errorMessage'> & { errorCode: FailureCode };

export interface Rules {
  validUntil: Date;
  optedOut: boolean;
  cancelReason: string | null;
}

export const CODE_ENDED: Obstacle = {
  status: 'expired',
  errorCode: 'CODE_ENDED',
  errorMessage: 'The sign-in code was used or expired before a carrier accepted the message.',
};

/** Ends a message that may not leave within the longest hold. */
export const QUIET_HOURS: Obstacle = {
  status: 'expired',
  errorCode: 'QUIET_HOURS',
  errorMessage: 'Quiet hours leave no moment within seven days in which the message may leave.',
};

export function findObstacle({ cancelReason, optedOut, validUntil }: Rules, now: Date): Obstacle | null {
  if (cancelReason !== null) return { status: 'canceled', errorCode: CANCELED, errorMessage: cancelReason };
  if (optedOut) return { status: 'rejected', errorCode: OPTED_OUT, errorMessage: OPTED_OUT_MESSAGE };
  if (now < validUntil) return null;
  const errorMessage = 'The validity of the message ended before a carrier accepted it.';
  return { status: 'expired', errorCode: 'EXPIRED', errorMessage };
}

import { CANCELED, type EndEvent } from '../../status/events.js';
import { OPTED_OUT, OPTED_OUT_MESSAGE } from './opted-out.js';

/** Why a message must not go out, and how it ends. */
export type Obstacle = Pick<EndEvent, 'status' | 'errorCode' | 'errorMessage'>;

/** What decides whether a message may go out. */
export interface Rules {
  validUntil: Date;
  optedOut: boolean;
  /** Why it was canceled; null while it is not. */
  cancelReason: string | null;
}

export const CODE_ENDED: Obstacle = {
  status: 'expired',
  errorCode: 'CODE_ENDED',
  errorMessage: 'The sign-in code was used, or its life ended, before a carrier took the message.',
};

/**
 * Why a message must not go out after all; null when it may.
 * @param now business time, which validity is measured in
 */
export function findObstacle({ cancelReason, optedOut, validUntil }: Rules, now: Date): Obstacle | null {
  if (cancelReason !== null) return { status: 'canceled', errorCode: CANCELED, errorMessage: cancelReason };
  if (optedOut) return { status: 'rejected', errorCode: OPTED_OUT, errorMessage: OPTED_OUT_MESSAGE };
  if (now < validUntil) return null;
  const errorMessage = 'The validity of the message ended before a carrier took it.';
  return { status: 'expired', errorCode: 'EXPIRED', errorMessage };
}

import type { SmppSettings } from '../settings.js';

export type BindRole = 'transceiver' | 'transmitter' | 'receiver';

/** One connection per role. */
export const ROLES: Readonly<Record<SmppSettings['bindType'], readonly BindRole[]>> = {
  transceiver: ['transceiver'],
  transmitter: ['transmitter'],
  receiver: ['receiver'],
  'transmitter-and-receiver': ['transmitter', 'receiver'],
};

/** A disabled transceiver is not replaced by a receiver, because some SMSCs allow only one bind type for an account. */
export function selectRoles(bindType: SmppSettings['bindType'], receivesOnly: boolean): readonly BindRole[] {
  return receivesOnly ? ROLES[bindType].filter((role) => role !== 'transmitter') : ROLES[bindType];
}

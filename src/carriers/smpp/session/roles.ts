import type { SmppSettings } from '../settings.js';

/** What one connection is bound as. */
export type BindRole = 'transceiver' | 'transmitter' | 'receiver';

/** The connections that each bind of a type makes. */
export const ROLES: Readonly<Record<SmppSettings['bindType'], readonly BindRole[]>> = {
  transceiver: ['transceiver'],
  transmitter: ['transmitter'],
  receiver: ['receiver'],
  'transmitter-and-receiver': ['transmitter', 'receiver'],
};

/**
 * The connections that each bind of a carrier makes. A disabled carrier keeps those that receive, so that receipts and
 * messages still come in. A transceiver stays one: some SMSCs allow an account no other bind.
 */
export function rolesFor(bindType: SmppSettings['bindType'], receivesOnly: boolean): readonly BindRole[] {
  return receivesOnly ? ROLES[bindType].filter((role) => role !== 'transmitter') : ROLES[bindType];
}

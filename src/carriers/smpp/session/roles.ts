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

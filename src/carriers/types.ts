import type { CarrierType } from './carrier-type.js';
import { smppType } from './smpp/type.js';
import { whatsappCloudType } from './whatsapp-cloud/type.js';

/** Every type of carrier that an operator can set up; the simulator needs no setting up. A new type is one line here. */
export const CARRIER_TYPES: readonly CarrierType[] = [smppType, whatsappCloudType];

/** Null when there is no such type. */
export function carrierType(name: string, types: readonly CarrierType[] = CARRIER_TYPES): CarrierType | null {
  return types.find(({ type }) => type === name) ?? null;
}

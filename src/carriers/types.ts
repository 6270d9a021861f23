import type { CarrierType } from './carrier-type.js';
import { httpType } from './http-api/type.js';
import { simulatorType } from './simulator/type.js';
import { smppType } from './smpp/type.js';
import { whatsappCloudType } from './whatsapp-cloud/type.js';

/** Every type of which operators set carriers up. A new type is one line here. */
export const CARRIER_TYPES: readonly CarrierType[] = [smppType, httpType, whatsappCloudType];

/** Types of which there is one carrier, named as the type, which is always there. Operators make no other. */
export const BUILT_IN_TYPES: readonly CarrierType[] = [simulatorType];

/** Null when there is no such type. */
export function carrierType(name: string, types: readonly CarrierType[] = CARRIER_TYPES): CarrierType | null {
  return types.find(({ type }) => type === name) ?? null;
}

/** The type of a built-in carrier; null when the name is that of none. */
export function builtInType(carrier: string): CarrierType | null {
  return carrierType(carrier, BUILT_IN_TYPES);
}

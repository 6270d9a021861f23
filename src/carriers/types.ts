import type { CarrierType } from './carrier-type.js';
import { httpType } from './http-api/type.js';
import { simulatorType } from './simulator/type.js';
import { smppType } from './smpp/type.js';
import { whatsappCloudType } from './whatsapp-cloud/type.js';

/** Types that operators can set up carriers of. Register new types here. */
export const CARRIER_TYPES: readonly CarrierType[] = [smppType, httpType, whatsappCloudType];

/** Types with a single carrier that always exists and has the type's name. Operators cannot create more. */
export const BUILT_IN_TYPES: readonly CarrierType[] = [simulatorType];

/** Null if there is no such type. */
export function findCarrierType(name: string, types: readonly CarrierType[] = CARRIER_TYPES): CarrierType | null {
  return types.find(({ type }) => type === name) ?? null;
}

/** The type of a built-in carrier; null for other names. */
export function findBuiltInType(carrier: string): CarrierType | null {
  return findCarrierType(carrier, BUILT_IN_TYPES);
}

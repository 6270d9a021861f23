import type { CarrierPreset, CarrierType } from './carrier-type.js';
import { httpType } from './http-api/type.js';
import { simulatorType } from './simulator/type.js';
import { smppType } from './smpp/type.js';
import { whatsappCloudType } from './whatsapp-cloud/type.js';

export const CARRIER_TYPES: readonly CarrierType[] = [smppType, httpType, whatsappCloudType];

/** A built-in carrier type has exactly one carrier, which always exists and has the name of its type. */
export const BUILT_IN_TYPES: readonly CarrierType[] = [simulatorType];

export function findCarrierType(name: string, types: readonly CarrierType[] = CARRIER_TYPES): CarrierType | null {
  return types.find(({ type }) => type === name) ?? null;
}

export function findBuiltInType(carrier: string): CarrierType | null {
  return findCarrierType(carrier, BUILT_IN_TYPES);
}

export function findPreset(type: string, preset: string): CarrierPreset | null {
  return findCarrierType(type)?.presets?.find(({ name }) => name === preset) ?? null;
}

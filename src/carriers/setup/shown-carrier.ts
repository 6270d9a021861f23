import type { FieldProblem } from '../../platform/errors/app-error.js';
import type { Carrier as CarrierRow } from '../../platform/generated/prisma/client.js';
import { type SettingValues, shownSettings, unsupportedSettings } from '../settings.js';
import { CARRIER_TYPES, carrierType } from '../types.js';

/** A carrier as operators may see it: its secrets hidden, but for where they stand. */
export interface ShownCarrier {
  name: string;
  type: string;
  isActive: boolean;
  settings: SettingValues;
  createdAt: string;
  updatedAt: string;
}

/** What is to be entered at the vendor's; nothing for settings that this version cannot read. */
export function entriesFor(
  { name, type, settings }: Pick<CarrierRow, 'name' | 'type' | 'settings'>,
  types = CARRIER_TYPES,
): { what: string; value: string }[] {
  try {
    return carrierType(type, types)?.entries?.(name, settings as SettingValues) ?? [];
  } catch {
    return [];
  }
}

/** What an operator has to do at the vendor of a preset; null for a carrier without one. */
export function helpFor(
  { type, settings }: Pick<CarrierRow, 'type' | 'settings'>,
  types = CARRIER_TYPES,
): string | null {
  const { preset } = settings as { preset?: unknown };
  return carrierType(type, types)?.presets?.find(({ name }) => name === preset)?.help ?? null;
}

/** Settings that the carrier goes on without, as this version does not run them; see `CarrierType.unsupported`. */
export function unsupportedFor(
  { type: name, settings }: Pick<CarrierRow, 'type' | 'settings'>,
  types = CARRIER_TYPES,
): FieldProblem[] {
  const type = carrierType(name, types);
  return type ? unsupportedSettings(type, settings as SettingValues) : [];
}

/** What operators may see of a carrier. */
export function showCarrier(row: CarrierRow, types = CARRIER_TYPES): ShownCarrier {
  const { name, type, isActive, createdAt, updatedAt } = row;
  return {
    name,
    type,
    isActive,
    settings: shownSettings(carrierType(type, types), row.settings as SettingValues),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

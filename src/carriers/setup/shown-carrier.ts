import type { FieldProblem } from '../../platform/errors/app-error.js';
import type { Carrier as CarrierRow } from '../../platform/generated/prisma/client.js';
import { type SettingValues, shownSettings, unsupportedSettings } from '../settings.js';
import { CARRIER_TYPES, carrierType } from '../types.js';

/** A carrier as shown to operators: secrets are masked, references to secrets are not. */
export interface ShownCarrier {
  name: string;
  type: string;
  isActive: boolean;
  settings: SettingValues;
  createdAt: string;
  updatedAt: string;
}

/** Values to enter at the vendor; empty if this version cannot read the settings. */
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

/** The preset's setup instructions; null without a preset. */
export function helpFor(
  { type, settings }: Pick<CarrierRow, 'type' | 'settings'>,
  types = CARRIER_TYPES,
): string | null {
  const { preset } = settings as { preset?: unknown };
  return carrierType(type, types)?.presets?.find(({ name }) => name === preset)?.help ?? null;
}

/** Settings that are ignored because this version does not support them; see `CarrierType.unsupported`. */
export function unsupportedFor(
  { type: name, settings }: Pick<CarrierRow, 'type' | 'settings'>,
  types = CARRIER_TYPES,
): FieldProblem[] {
  const type = carrierType(name, types);
  return type ? unsupportedSettings(type, settings as SettingValues) : [];
}

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

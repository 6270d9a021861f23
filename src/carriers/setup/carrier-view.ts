import type { FieldProblem } from '../../platform/errors/app-error.js';
import type { Carrier as CarrierRow } from '../../platform/generated/prisma/client.js';
import { findUnsupportedSettings, maskSecrets, type SettingValues } from '../settings.js';
import { CARRIER_TYPES, findCarrierType } from '../types.js';

/** A carrier for display. Secrets are masked, but references to secrets are shown. */
export interface CarrierView {
  name: string;
  type: string;
  isActive: boolean;
  settings: SettingValues;
  createdAt: string;
  updatedAt: string;
}

export function listEntries(
  { name, type, settings }: Pick<CarrierRow, 'name' | 'type' | 'settings'>,
  types = CARRIER_TYPES,
): { what: string; value: string }[] {
  try {
    return findCarrierType(type, types)?.listEntries?.(name, settings as SettingValues) ?? [];
  } catch {
    return [];
  }
}

export function findHelp(
  { type, settings }: Pick<CarrierRow, 'type' | 'settings'>,
  types = CARRIER_TYPES,
): string | null {
  const { preset } = settings as { preset?: unknown };
  return findCarrierType(type, types)?.presets?.find(({ name }) => name === preset)?.help ?? null;
}

/** Finds settings that the carrier ignores; see `CarrierType.findUnsupported`. */
export function findUnsupported(
  { type: name, settings }: Pick<CarrierRow, 'type' | 'settings'>,
  types = CARRIER_TYPES,
): FieldProblem[] {
  const type = findCarrierType(name, types);
  return type ? findUnsupportedSettings(type, settings as SettingValues) : [];
}

export function toCarrierView(row: CarrierRow, types = CARRIER_TYPES): CarrierView {
  const { name, type, isActive, createdAt, updatedAt } = row;
  return {
    name,
    type,
    isActive,
    settings: maskSecrets(findCarrierType(type, types), row.settings as SettingValues),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

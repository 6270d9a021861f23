import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import type { Carrier as CarrierRow, Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { isUniqueViolation } from '../../platform/store/prisma-errors.js';
import type { CarrierType } from '../carrier-type.js';
import type { CarrierRow as CheckedCarrier } from '../registry/carrier-store.js';
import {
  checkChannelSettings,
  checkSettings,
  findSettingsForm,
  findUnsupportedSettings,
  SettingsError,
  type SettingValues,
} from '../settings.js';
import { BUILT_IN_TYPES, CARRIER_TYPES, findBuiltInType, findCarrierType } from '../types.js';
import type { ChannelOfCarrier } from './check.js';
import { type AllowedReferences, requireAllowedReferences, requireSecretsAgain } from './secret-rules.js';

type CarrierTables = Pick<PrismaClient, 'carrier' | 'channel' | 'route'>;

const NAME = /^[a-z0-9-]{1,40}$/;

export interface NewCarrier {
  name: string;
  type: string;
  settings: SettingValues;
  /** Default: true. */
  isActive?: boolean;
  /** By default all references are allowed, because CLI users can read all secrets anyway. */
  references?: AllowedReferences;
}

/**
 * Throws the AppError INVALID_REQUEST for a malformed name, an unknown type or invalid settings, and CONFLICT if the
 * name is taken.
 */
export async function addCarrier(
  prisma: CarrierTables,
  { name, type: typeName, settings, isActive = true, references }: NewCarrier,
  types = CARRIER_TYPES,
): Promise<CarrierRow> {
  if (!NAME.test(name)) throw invalidField('name', 'must be 1 to 40 lower-case letters, digits and hyphens');
  const type = requireType(typeName, types);
  if (references) requireAllowedReferences(type, settings, references);
  withFieldErrors(() => {
    checkSettings(type, settings);
    refuseUnsupported(type, settings);
  });
  const existing = findBuiltInType(name) ?? (await prisma.carrier.findUnique({ where: { name } }));
  const createConflict = () => new AppError('CONFLICT', `a carrier named ${name} already exists`);
  if (existing) throw createConflict();
  try {
    return await prisma.carrier.create({
      data: { id: newId(), name, type: typeName, settings: settings as Prisma.JsonObject, isActive },
    });
  } catch (error) {
    // A concurrent request has created a carrier with the same name since the name was checked.
    throw isUniqueViolation(error) ? createConflict() : error;
  }
}

export interface CarrierChange {
  set: SettingValues;
  /** Reset to their defaults. */
  unset: readonly string[];
  isActive?: boolean;
  /** By default all references are allowed, and stored secrets stay valid for a new destination. */
  references?: AllowedReferences;
}

/**
 * Throws the AppError NOT_FOUND for an unknown name, and INVALID_REQUEST for invalid new settings. Throws the AppError CONFLICT
 * if a route uses the carrier and the carrier could not send with its new settings.
 */
export async function changeCarrier(
  prisma: CarrierTables,
  name: string,
  { set, unset, isActive, references }: CarrierChange,
  types = CARRIER_TYPES,
): Promise<CarrierRow> {
  const carrier = await requireCarrier(prisma, name);
  const before = carrier.settings as SettingValues;
  const unchangedSettings = Object.entries(before).filter(([setting]) => !unset.includes(setting));
  const settings = { ...Object.fromEntries(unchangedSettings), ...set };
  const type = requireType(carrier.type, types);
  if (references) {
    // After a change of the preset, all references are checked, because a setting may be secret only under the new preset.
    const isSameForm = findSettingsForm(type, before) === findSettingsForm(type, settings);
    requireAllowedReferences(type, isSameForm ? { preset: settings.preset, ...set } : settings, references);
    requireSecretsAgain(type, { before, after: settings, entered: new Set([...Object.keys(set), ...unset]) });
  }
  withFieldErrors(() => {
    checkSettings(type, settings);
    // Unchanged settings are not checked, so that changing a password does not require fixing a pattern that an earlier version
    // accepted.
    const changedNames = [...Object.keys(set), ...unset];
    refuseUnsupported(type, settings, changedNames.includes('preset') ? undefined : changedNames);
  });
  const problem = findRouteProblem(type, settings);
  const route = problem === null ? null : await prisma.route.findFirst({ where: { carriers: { has: name } } });
  if (route) throw new AppError('CONFLICT', `the route ${route.id} uses the carrier ${name}, but ${problem}`);
  return prisma.carrier.update({ where: { name }, data: { settings: settings as Prisma.JsonObject, isActive } });
}

export async function listCarriers(prisma: CarrierTables): Promise<CarrierRow[]> {
  return prisma.carrier.findMany({ orderBy: { name: 'asc' } });
}

/**
 * Messages keep the name of a removed carrier, so receipts still count if the carrier is added again.
 * @throws {AppError} NOT_FOUND, CONFLICT
 */
export async function removeCarrier(prisma: CarrierTables, name: string): Promise<void> {
  await requireCarrier(prisma, name);
  const channel = await prisma.channel.findFirst({ where: { carrier: name, deletedAt: null } });
  if (channel) throw new AppError('CONFLICT', `the channel ${channel.id} uses the carrier ${name}`);
  const route = await prisma.route.findFirst({ where: { carriers: { has: name } } });
  if (route) throw new AppError('CONFLICT', `the route ${route.id} uses the carrier ${name}`);
  await prisma.carrier.delete({ where: { name } });
}

/** @throws {AppError} NOT_FOUND */
export async function requireCarrier(prisma: CarrierTables, name: string): Promise<CarrierRow> {
  const carrier = await prisma.carrier.findUnique({ where: { name } });
  if (!carrier) throw new AppError('NOT_FOUND', `there is no carrier ${name}`);
  return carrier;
}

/** @throws {AppError} NOT_FOUND as `requireCarrier` */
export async function lockCarrier(prisma: Prisma.TransactionClient, name: string): Promise<CarrierRow> {
  await prisma.$queryRaw`SELECT 1 FROM carriers WHERE name = ${name} FOR UPDATE`;
  return requireCarrier(prisma, name);
}

/** Throws the AppError INVALID_REQUEST for an unknown carrier, an unsupported kind or invalid channel settings. */
export async function checkCarrierUse(
  prisma: CarrierTables,
  name: string,
  kind: 'sms' | 'whatsapp',
  settings: SettingValues = {},
  types = CARRIER_TYPES,
): Promise<SettingValues | null> {
  const type = await resolveType(prisma, name, types);
  if (!type) {
    const builtIn = BUILT_IN_TYPES.map((type) => type.type).join(', ');
    throw invalidField('carrier', `must be ${builtIn} or a configured carrier; there is no carrier ${name}`);
  }
  if (!type.kinds.includes(kind)) {
    throw invalidField('carrier', `must support ${kind}; ${name} has the type ${type.type}, which does not`);
  }
  // SMS channels only receive.
  return withFieldErrors(() => checkChannelSettings(kind === 'sms' ? null : type, settings));
}

/** Throws the AppError INVALID_REQUEST under the same conditions as `checkCarrierUse`, and for a carrier that only receives. */
export async function checkRouteTarget(prisma: CarrierTables, name: string, types = CARRIER_TYPES): Promise<void> {
  await checkCarrierUse(prisma, name, 'sms', {}, types);
  const row = await prisma.carrier.findUnique({ where: { name } });
  const problem = row && findRouteProblem(requireType(row.type, types), row.settings as SettingValues);
  if (problem) throw invalidField('carrier', `must be able to send messages; ${name}: ${problem}`);
}

function findRouteProblem(type: CarrierType, settings: SettingValues): string | null {
  return type.findRouteProblem?.(checkSettings(type, settings)) ?? null;
}

/**
 * Throws the AppError CONFLICT naming the other channel, because inbound messages would reach only one of two channels
 * with the same identity.
 */
export async function checkChannelIdentity(
  prisma: Pick<PrismaClient, 'carrier' | 'channel'>,
  { id, carrier, settings }: { id?: string; carrier: string; settings: SettingValues | null },
  types = CARRIER_TYPES,
): Promise<void> {
  const setting = (await resolveType(prisma, carrier, types))?.channelIdentity;
  const value = setting && settings?.[setting];
  if (!setting || value === undefined) return;
  const conflicting = await prisma.channel.findFirst({
    where: {
      carrier,
      id: { not: id },
      deletedAt: null,
      carrierSettings: { path: [setting], equals: value as Prisma.InputJsonValue },
    },
  });
  if (!conflicting) return;
  throw new AppError(
    'CONFLICT',
    `the channel ${conflicting.id} (${conflicting.phoneNumber}) already has the ${setting} ${value} at the carrier ${carrier}; ` +
      'first change its carrier or its value',
  );
}

async function resolveType(
  prisma: Pick<PrismaClient, 'carrier'>,
  name: string,
  types: readonly CarrierType[],
): Promise<CarrierType | null> {
  const builtIn = findBuiltInType(name);
  if (builtIn) return builtIn;
  const row = await prisma.carrier.findUnique({ where: { name } });
  return row && requireType(row.type, types);
}

/** @throws {AppError} NOT_FOUND */
export async function loadCarrierToCheck(
  prisma: CarrierTables,
  name: string,
): Promise<{ row: CheckedCarrier; channels: ChannelOfCarrier[] }> {
  const carrier = await requireCarrier(prisma, name);
  const rows = await prisma.channel.findMany({ where: { carrier: name, deletedAt: null }, orderBy: { id: 'asc' } });
  const channels = rows.map(({ id, kind, phoneNumber, isActive, carrierSettings }) => ({
    id,
    kind,
    phoneNumber,
    isActive,
    settings: carrierSettings as SettingValues | null,
  }));
  return { row: { ...carrier, settings: carrier.settings as SettingValues }, channels };
}

/** @throws {AppError} INVALID_REQUEST */
export async function loadCarrierType(
  prisma: Pick<PrismaClient, 'carrier'>,
  name: string,
  types: readonly CarrierType[] = CARRIER_TYPES,
): Promise<CarrierType | null> {
  const row = await prisma.carrier.findUnique({ where: { name } });
  return row && requireType(row.type, types);
}

/** @throws {AppError} INVALID_REQUEST */
export function requireType(name: string, types: readonly CarrierType[] = CARRIER_TYPES): CarrierType {
  const type = findCarrierType(name, types);
  if (type) return type;
  throw invalidField('type', `must be one of ${types.map((type) => type.type).join(', ')}`);
}

/**
 * If `fields` is absent, all settings are checked.
 * @throws {SettingsError}
 */
function refuseUnsupported(type: CarrierType, settings: SettingValues, fields?: readonly string[]): void {
  const problems = findUnsupportedSettings(type, settings).filter(({ field }) => fields?.includes(field) ?? true);
  if (problems.length > 0) throw new SettingsError(problems);
}

function withFieldErrors<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw invalidFields(
      error.problems.map((problem) => ({ ...problem, sentence: `${problem.field} ${problem.rule}`.trim() })),
    );
  }
}

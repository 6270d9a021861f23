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
  formOf,
  SettingsError,
  type SettingValues,
  unsupportedSettings,
} from '../settings.js';
import { BUILT_IN_TYPES, builtInType, CARRIER_TYPES, carrierType } from '../types.js';
import type { ChannelOfCarrier } from './check.js';
import { type AllowedReferences, requireAllowedReferences, requireSecretsAnew } from './secret-rules.js';

type CarrierTables = Pick<PrismaClient, 'carrier' | 'channel' | 'route'>;

const NAME = /^[a-z0-9-]{1,40}$/;

export interface NewCarrier {
  /** Lower-case letters, digits and hyphens. */
  name: string;
  type: string;
  settings: SettingValues;
  /** True unless told; one that is off can be checked before any process opens it. */
  isActive?: boolean;
  /** Where its secrets may stand; left out: anywhere, as for the command, whose user reads all of it anyway. */
  references?: AllowedReferences;
}

/**
 * Sets a carrier up. Every process opens it within seconds.
 * @throws {AppError} INVALID_REQUEST for a malformed name, an unknown type or settings that break its rules, CONFLICT
 * when the name is taken
 */
export async function addCarrier(
  prisma: CarrierTables,
  { name, type: typeName, settings, isActive = true, references }: NewCarrier,
  types = CARRIER_TYPES,
): Promise<CarrierRow> {
  if (!NAME.test(name)) throw invalidField('name', 'must be 1 to 40 lower-case letters, digits and hyphens');
  const type = requireType(typeName, types);
  if (references) requireAllowedReferences(type, settings, references);
  checked(() => {
    checkSettings(type, settings);
    refuseUnsupported(type, settings);
  });
  const taken = builtInType(name) ?? (await prisma.carrier.findUnique({ where: { name } }));
  const conflict = () => new AppError('CONFLICT', `there is a carrier ${name} already`);
  if (taken) throw conflict();
  try {
    return await prisma.carrier.create({
      data: { id: newId(), name, type: typeName, settings: settings as Prisma.JsonObject, isActive },
    });
  } catch (error) {
    // Somebody else made it since it was looked for.
    throw isUniqueViolation(error) ? conflict() : error;
  }
}

export interface CarrierChange {
  /** Settings that get another value, by name. */
  set: SettingValues;
  /** Names of settings that go back to their default. */
  unset: readonly string[];
  isActive?: boolean;
  /** Where secrets may stand that are set; left out: anywhere, and stored ones stay where a destination changes. */
  references?: AllowedReferences;
}

/**
 * Changes a carrier. Every process opens it anew within seconds.
 * @throws {AppError} NOT_FOUND when there is none of this name, INVALID_REQUEST when its settings would break a rule,
 * CONFLICT when a route leads to it that could not do so with these settings
 */
export async function changeCarrier(
  prisma: CarrierTables,
  name: string,
  { set, unset, isActive, references }: CarrierChange,
  types = CARRIER_TYPES,
): Promise<CarrierRow> {
  const known = await requireCarrier(prisma, name);
  const before = known.settings as SettingValues;
  const kept = Object.entries(before).filter(([setting]) => !unset.includes(setting));
  const settings = { ...Object.fromEntries(kept), ...set };
  const type = requireType(known.type, types);
  if (references) {
    // By another preset, what was no secret may become one.
    const isSameForm = formOf(type, before) === formOf(type, settings);
    requireAllowedReferences(type, isSameForm ? { preset: settings.preset, ...set } : settings, references);
    requireSecretsAnew(type, { before, after: settings, named: new Set([...Object.keys(set), ...unset]) });
  }
  checked(() => {
    checkSettings(type, settings);
    // Changing a password does not require fixing a pattern that an earlier version accepted.
    const named = [...Object.keys(set), ...unset];
    refuseUnsupported(type, settings, named.includes('preset') ? undefined : named);
  });
  const problem = routeProblemOf(type, settings);
  const route = problem === null ? null : await prisma.route.findFirst({ where: { carriers: { has: name } } });
  if (route) throw new AppError('CONFLICT', `the route ${route.id} leads to the carrier ${name}, but ${problem}`);
  return prisma.carrier.update({ where: { name }, data: { settings: settings as Prisma.JsonObject, isActive } });
}

/** All carriers that are set up, by name. */
export async function listCarriers(prisma: CarrierTables): Promise<CarrierRow[]> {
  return prisma.carrier.findMany({ orderBy: { name: 'asc' } });
}

/**
 * Takes a carrier away. What it has taken stays with it: receipts that come once it is set up again still count.
 * @throws {AppError} NOT_FOUND when there is none of this name, CONFLICT while a channel or a route names it
 */
export async function removeCarrier(prisma: CarrierTables, name: string): Promise<void> {
  await requireCarrier(prisma, name);
  const channel = await prisma.channel.findFirst({ where: { carrier: name, deletedAt: null } });
  if (channel) throw new AppError('CONFLICT', `the channel ${channel.id} has the carrier ${name}`);
  const route = await prisma.route.findFirst({ where: { carriers: { has: name } } });
  if (route) throw new AppError('CONFLICT', `the route ${route.id} leads to the carrier ${name}`);
  await prisma.carrier.delete({ where: { name } });
}

/** @throws {AppError} NOT_FOUND when no carrier of this name is set up */
export async function requireCarrier(prisma: CarrierTables, name: string): Promise<CarrierRow> {
  const carrier = await prisma.carrier.findUnique({ where: { name } });
  if (!carrier) throw new AppError('NOT_FOUND', `there is no carrier ${name}`);
  return carrier;
}

/**
 * A carrier, locked until the transaction ends, so that what is read of it is what a change of it begins from.
 * @throws {AppError} NOT_FOUND as `requireCarrier`
 */
export async function lockedCarrier(prisma: Prisma.TransactionClient, name: string): Promise<CarrierRow> {
  await prisma.$queryRaw`SELECT 1 FROM carriers WHERE name = ${name} FOR UPDATE`;
  return requireCarrier(prisma, name);
}

/**
 * Checks that a carrier can take messages of a kind, and what it must know of a channel.
 * @param settings of the channel; left out for carriers that are named by a route
 * @returns the channel's settings with defaults, null where the carrier needs none
 * @throws {AppError} INVALID_REQUEST for an unknown carrier, one that does not take the kind, and wrong settings
 */
export async function checkCarrierUse(
  prisma: CarrierTables,
  name: string,
  kind: 'sms' | 'whatsapp',
  settings: SettingValues = {},
  types = CARRIER_TYPES,
): Promise<SettingValues | null> {
  const type = await typeOf(prisma, name, types);
  if (!type) {
    const builtIn = BUILT_IN_TYPES.map((each) => each.type).join(', ');
    throw invalidField('carrier', `must be ${builtIn} or the name of a carrier that is set up; ${name} is not`);
  }
  if (!type.kinds.includes(kind)) {
    throw invalidField('carrier', `${name} is of type ${type.type}, which takes no ${kind}`);
  }
  // What a carrier must know of a channel is about sending WhatsApp; a channel of kind sms only receives.
  return checked(() => checkChannelSettings(kind === 'sms' ? null : type, settings));
}

/**
 * Checks that a route may lead to a carrier.
 * @throws {AppError} INVALID_REQUEST as `checkCarrierUse`, and for a carrier that only receives
 */
export async function checkRouteTarget(prisma: CarrierTables, name: string, types = CARRIER_TYPES): Promise<void> {
  await checkCarrierUse(prisma, name, 'sms', {}, types);
  const row = await prisma.carrier.findUnique({ where: { name } });
  const problem = row && routeProblemOf(requireType(row.type, types), row.settings as SettingValues);
  if (problem) throw invalidField('carrier', `must take messages; of ${name} ${problem}`);
}

function routeProblemOf(type: CarrierType, settings: SettingValues): string | null {
  return type.routeProblem?.(checkSettings(type, settings)) ?? null;
}

/**
 * Makes sure that no other channel of a carrier, switched off or not, is what this one says it is at the carrier: what
 * comes in would go to one of the two only.
 * @param use what the channel will be: its carrier and settings; `id` where it exists already
 * @throws {AppError} CONFLICT that names the other channel
 */
export async function checkChannelIdentity(
  prisma: Pick<PrismaClient, 'carrier' | 'channel'>,
  { id, carrier, settings }: { id?: string; carrier: string; settings: SettingValues | null },
  types = CARRIER_TYPES,
): Promise<void> {
  const setting = (await typeOf(prisma, carrier, types))?.channelIdentity;
  const value = setting && settings?.[setting];
  if (!setting || value === undefined) return;
  const other = await prisma.channel.findFirst({
    where: {
      carrier,
      id: { not: id },
      deletedAt: null,
      carrierSettings: { path: [setting], equals: value as Prisma.InputJsonValue },
    },
  });
  if (!other) return;
  throw new AppError(
    'CONFLICT',
    `the channel ${other.id} (${other.phoneNumber}) has the ${setting} ${value} at the carrier ${carrier} already; ` +
      'give that one another carrier or another value first',
  );
}

/** The type of a carrier, built in or set up; null when there is no carrier of this name. */
async function typeOf(
  prisma: Pick<PrismaClient, 'carrier'>,
  name: string,
  types: readonly CarrierType[],
): Promise<CarrierType | null> {
  const builtIn = builtInType(name);
  if (builtIn) return builtIn;
  const row = await prisma.carrier.findUnique({ where: { name } });
  return row && requireType(row.type, types);
}

/**
 * What `checkCarrier` tries out: a carrier, and its channels, the oldest first.
 * @throws {AppError} NOT_FOUND when there is none of this name
 */
export async function carrierToCheck(
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

/**
 * The type of a carrier that is set up; null where none of this name is, as for the simulator.
 * @throws {AppError} INVALID_REQUEST for a type that this version does not know
 */
export async function typeOfCarrier(
  prisma: Pick<PrismaClient, 'carrier'>,
  name: string,
  types: readonly CarrierType[] = CARRIER_TYPES,
): Promise<CarrierType | null> {
  const row = await prisma.carrier.findUnique({ where: { name } });
  return row && requireType(row.type, types);
}

/** @throws {AppError} INVALID_REQUEST for a type that this version does not know */
export function requireType(name: string, types: readonly CarrierType[] = CARRIER_TYPES): CarrierType {
  const type = carrierType(name, types);
  if (type) return type;
  throw invalidField('type', `must be one of ${types.map((each) => each.type).join(', ')}`);
}

/** @throws {SettingsError} for values that are refused when they are saved, of the named settings or of all */
function refuseUnsupported(type: CarrierType, settings: SettingValues, named?: readonly string[]): void {
  const problems = unsupportedSettings(type, settings).filter(({ field }) => named?.includes(field) ?? true);
  if (problems.length > 0) throw new SettingsError(problems);
}

function checked<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw invalidFields(
      error.problems.map((problem) => ({ ...problem, sentence: `${problem.field} ${problem.rule}`.trim() })),
    );
  }
}

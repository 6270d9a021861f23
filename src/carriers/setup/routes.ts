import { requireAccount } from '../../accounts/accounts.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { PrismaClient, Route } from '../../platform/generated/prisma/client.js';
import { isUuid, newId } from '../../platform/ids.js';
import { canBeginNumber } from '../numbers/phone-numbers.js';
import { removePlus } from '../registry/routing.js';
import { CARRIER_TYPES } from '../types.js';
import { checkRouteTarget } from './carriers.js';

type RouteTables = Pick<PrismaClient, 'route' | 'carrier' | 'channel' | 'account'>;

const MAX_CARRIERS = 16;
/** Includes a plus sign. */
const MAX_SENDER_LENGTH = 18;

export interface NewRoute {
  /** Default: all accounts. */
  accountId?: string;
  /** E.g. `40` or `4072`. Default: any. */
  callingCode?: string;
  /** Default: any. */
  sender?: string;
  /** In order of preference. */
  carriers: readonly string[];
  /** If several routes match equally well, the route with the lowest position is used. */
  position: number;
}

/**
 * Throws the AppError INVALID_REQUEST for invalid fields, NOT_FOUND for an unknown account, and CONFLICT if the route
 * already exists.
 */
export async function addRoute(
  prisma: RouteTables & Pick<PrismaClient, '$executeRaw'>,
  input: NewRoute,
  types = CARRIER_TYPES,
): Promise<Route> {
  const { accountId, callingCode, carriers, position } = input;
  const sender = input.sender === undefined ? undefined : removePlus(input.sender);
  if (callingCode !== undefined && !/^[1-9]\d{0,14}$/.test(callingCode)) {
    throw invalidField('callingCode', 'must be 1 to 15 digits, without a plus sign or leading zeros');
  }
  if (callingCode !== undefined && !canBeginNumber(callingCode)) {
    throw invalidField('callingCode', 'must begin with an assigned country calling code');
  }
  if (sender !== undefined && (sender === '' || sender.length > MAX_SENDER_LENGTH)) {
    throw invalidField('sender', `must be 1 to ${MAX_SENDER_LENGTH} characters`);
  }
  if (carriers.length < 1 || carriers.length > MAX_CARRIERS) {
    throw invalidField('carriers', `must be 1 to ${MAX_CARRIERS} names`);
  }
  if (new Set(carriers).size < carriers.length) throw invalidField('carriers', 'must name each carrier once');
  if (accountId !== undefined) await requireAccount(prisma, accountId);
  for (const name of carriers) await checkRouteTarget(prisma, name, types);
  // A lock prevents duplicate routes, because a unique index cannot compare routes whose conditions are null.
  await prisma.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('heliograph routes', 0))`;
  const conditions = {
    accountId: accountId ?? null,
    callingCode: callingCode ?? null,
    sender: sender ?? null,
    position,
  };
  const conflicting = await prisma.route.findFirst({ where: conditions });
  if (conflicting) {
    const advice = 'choose another position (the lower one wins), or remove that route first';
    throw new AppError('CONFLICT', `the route ${conflicting.id} already has these conditions and position: ${advice}`);
  }
  return prisma.route.create({
    data: { id: newId(), accountId, callingCode, sender, carriers: [...carriers], position },
  });
}

export type NamedRoute = Route & { account: { name: string } | null };

const WITH_NAME = { account: { select: { name: true } } } as const;

/** @throws {AppError} NOT_FOUND */
export async function requireRoute(prisma: RouteTables, id: string): Promise<NamedRoute> {
  const route = isUuid(id) ? await prisma.route.findUnique({ where: { id }, include: WITH_NAME }) : null;
  if (!route) throw new AppError('NOT_FOUND', `there is no route ${id}`);
  return route;
}

/** Routes of single accounts come first, then routes are sorted by calling code, sender and position. */
export async function listRoutes(prisma: RouteTables): Promise<NamedRoute[]> {
  return prisma.route.findMany({
    include: WITH_NAME,
    orderBy: [
      { accountId: { sort: 'asc', nulls: 'last' } },
      { callingCode: { sort: 'asc', nulls: 'last' } },
      { sender: { sort: 'asc', nulls: 'last' } },
      { position: 'asc' },
      { id: 'asc' },
    ],
  });
}

/** @throws {AppError} NOT_FOUND */
export async function removeRoute(prisma: RouteTables, id: string): Promise<void> {
  const { count } = isUuid(id) ? await prisma.route.deleteMany({ where: { id } }) : { count: 0 };
  if (count === 0) throw new AppError('NOT_FOUND', `there is no route ${id}`);
}

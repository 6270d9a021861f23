import { pino } from 'pino';
import type { CarrierType } from '../../carriers/carrier-type.js';
import type { SettingValues } from '../../carriers/settings.js';
import { requireCarrier } from '../../carriers/setup/carriers.js';
import { type TriedMessage, type TryResult, tryCarrier } from '../../carriers/setup/try.js';
import type { Clock } from '../../platform/clock.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { readEnvironment } from '../../platform/machine/environment.js';

/** @throws {AppError} NOT_FOUND for unknown names */
export async function tryCarrierByName(
  prisma: Pick<PrismaClient, 'carrier' | 'channel' | 'route'>,
  name: string,
  message: TriedMessage,
  { types, clock, privateHosts }: { types: readonly CarrierType[]; clock: Clock; privateHosts: readonly string[] },
): Promise<TryResult> {
  const carrier = await requireCarrier(prisma, name);
  const row = { ...carrier, settings: carrier.settings as SettingValues };
  const options = { types, env: readEnvironment(), log: pino({ level: 'silent' }), clock, privateHosts };
  return tryCarrier(row, message, options);
}

import { pino } from 'pino';
import type { CarrierType } from '../../carriers/carrier-type.js';
import { loadCarrierToCheck } from '../../carriers/setup/carriers.js';
import { checkCarrier } from '../../carriers/setup/check.js';
import type { Clock } from '../../platform/clock.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { readEnvironment } from '../../platform/machine/environment.js';

export interface CheckedStep {
  what: string;
  problem: string | null;
  /** Possibly wrong setting. */
  setting: string | null;
  isUntried: boolean;
}

/**
 * Runs in this process and sends no message.
 * @throws {AppError} NOT_FOUND for unknown names
 */
export async function checkCarrierByName(
  prisma: Pick<PrismaClient, 'carrier' | 'channel' | 'route'>,
  name: string,
  { types, clock, privateHosts }: { types: readonly CarrierType[]; clock: Clock; privateHosts: readonly string[] },
): Promise<CheckedStep[]> {
  const { row, channels } = await loadCarrierToCheck(prisma, name);
  const steps: CheckedStep[] = [];
  const options = { types, env: readEnvironment(), log: pino({ level: 'silent' }), clock, privateHosts };
  for await (const { what, problem, setting = null, isUntried = false } of checkCarrier(row, channels, options)) {
    steps.push({ what, problem, setting, isUntried });
  }
  return steps;
}

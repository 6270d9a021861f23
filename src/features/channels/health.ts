import { HEALTHY } from '../../carriers/carrier.js';
import { findUnavailable } from '../../carriers/setup/status-store.js';
import { findBuiltInType } from '../../carriers/types.js';
import type { Channel, PrismaClient } from '../../platform/generated/prisma/client.js';

type ChannelHealth = Pick<Channel, 'id' | 'carrier' | 'healthStatus'>;

/**
 * Finds the health by channel ID: the carrier's finding about the channel if there is one, or else `carrier_off`,
 * `carrier_down` or `healthy`. A carrier counts as down if it is down in every sending process, or if no process
 * reports on it.
 */
export async function findHealth(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  channels: readonly ChannelHealth[],
): Promise<Map<string, string>> {
  const candidates = channels.filter(
    ({ carrier, healthStatus }) => healthStatus === HEALTHY && !findBuiltInType(carrier),
  );
  const names = [...new Set(candidates.map(({ carrier }) => carrier))];
  const unhealthy = names.length > 0 ? await findUnavailable(prisma, names) : [];
  const statuses = new Map(unhealthy.map(({ name, isActive }) => [name, isActive ? 'carrier_down' : 'carrier_off']));
  return new Map(
    channels.map(({ id, carrier, healthStatus }) => [
      id,
      healthStatus === HEALTHY ? (statuses.get(carrier) ?? HEALTHY) : healthStatus,
    ]),
  );
}

export async function withHealth<Row extends ChannelHealth>(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  channels: readonly Row[],
): Promise<Row[]> {
  const health = await findHealth(prisma, channels);
  return channels.map((channel) => ({ ...channel, healthStatus: health.get(channel.id) as string }));
}

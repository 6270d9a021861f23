import { HEALTHY } from '../../carriers/carrier.js';
import { findUnwell } from '../../carriers/setup/status-store.js';
import { builtInType } from '../../carriers/types.js';
import type { Channel, PrismaClient } from '../../platform/generated/prisma/client.js';

type ChannelHealth = Pick<Channel, 'id' | 'carrier' | 'healthStatus'>;

/**
 * How channels fare, by their ids: what their carrier found wrong with them, else `carrier_off` or `carrier_down` (in
 * every process that sends), else `healthy`. A carrier that no process tells of counts as well.
 */
export async function healthOf(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  channels: readonly ChannelHealth[],
): Promise<Map<string, string>> {
  const asked = channels.filter(({ carrier, healthStatus }) => healthStatus === HEALTHY && !builtInType(carrier));
  const names = [...new Set(asked.map(({ carrier }) => carrier))];
  const unwell = names.length > 0 ? await findUnwell(prisma, names) : [];
  const words = new Map(unwell.map(({ name, isActive }) => [name, isActive ? 'carrier_down' : 'carrier_off']));
  return new Map(
    channels.map(({ id, carrier, healthStatus }) => [
      id,
      healthStatus === HEALTHY ? (words.get(carrier) ?? HEALTHY) : healthStatus,
    ]),
  );
}

/** The same channels, with their health as `healthOf` tells it. */
export async function withHealth<Row extends ChannelHealth>(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  channels: readonly Row[],
): Promise<Row[]> {
  const health = await healthOf(prisma, channels);
  return channels.map((channel) => ({ ...channel, healthStatus: health.get(channel.id) as string }));
}

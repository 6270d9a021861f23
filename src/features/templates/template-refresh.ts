import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { OwnedChannel } from '../channels/call-carrier.js';
import type { CarrierOptions } from './create.js';
import { syncTemplates } from './sync.js';

const MIN_INTERVAL_MS = 60_000;
const MAX_WAIT_MS = 5_000;

export interface TemplateRefreshOptions extends CarrierOptions {
  prisma: CarrierOptions['prisma'] & Pick<PrismaClient, 'channel'>;
  /** Milliseconds since the epoch. */
  now(): number;
}

export class TemplateRefresh {
  readonly #options: TemplateRefreshOptions;
  /** By channel. */
  readonly #syncs = new Map<string, { at: number; isSynced: Promise<boolean> }>();

  constructor(options: TemplateRefreshOptions) {
    this.#options = options;
  }

  /**
   * Syncs at most once a minute. Returns false if the channel has never completed a sync, or if its carrier did not
   * answer in time.
   */
  async refresh(accountId: string, channelId: string): Promise<boolean> {
    const { prisma, now } = this.#options;
    const channel = await prisma.channel.findFirst({ where: { id: channelId, accountId, deletedAt: null } });
    if (!channel?.templatesSyncedAt) return false;
    if (now() - channel.templatesSyncedAt.getTime() < MIN_INTERVAL_MS) return true;
    const lastSync = this.#syncs.get(channelId);
    if (lastSync && now() - lastSync.at < MIN_INTERVAL_MS) return waitBriefly(lastSync.isSynced);
    const carrierSettings = channel.carrierSettings as OwnedChannel['carrierSettings'];
    const isSynced = syncTemplates(this.#options, { ...channel, carrierSettings }).then(
      () => true,
      () => false,
    );
    this.#syncs.set(channelId, { at: now(), isSynced });
    return waitBriefly(isSynced);
  }
}

/** When a request stops waiting, the sync continues for later requests. */
async function waitBriefly(isSynced: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), MAX_WAIT_MS).unref();
  });
  return Promise.race([isSynced, timeout]).finally(() => clearTimeout(timer));
}

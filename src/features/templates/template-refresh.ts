import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { OwnedChannel } from '../channels/ask-carrier.js';
import type { AskingOptions } from './create.js';
import { syncTemplates } from './sync.js';

/** A channel's carrier is asked for its templates at most once in this time, in milliseconds. */
const LEAST_INTERVAL_MS = 60_000;
/** How long a request waits for the carrier, in milliseconds. */
const PATIENCE_MS = 5_000;

export interface TemplateRefreshOptions extends AskingOptions {
  prisma: AskingOptions['prisma'] & Pick<PrismaClient, 'channel'>;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Makes sure that a template which a send names really is missing, before the send is refused. */
export class TemplateRefresh {
  readonly #options: TemplateRefreshOptions;
  /** By channel: when this process last asked the carrier, and whether that succeeded. */
  readonly #asked = new Map<string, { at: number; isSynced: Promise<boolean> }>();

  constructor(options: TemplateRefreshOptions) {
    this.#options = options;
  }

  /**
   * Syncs the templates of a channel, unless that happened within the last minute. Concurrent calls share one sync.
   * @returns whether the stored templates are those of the carrier. False where the channel never completed a sync, or its
   * carrier could not be reached or did not answer in time.
   */
  async refresh(accountId: string, channelId: string): Promise<boolean> {
    const { prisma, now } = this.#options;
    const channel = await prisma.channel.findFirst({ where: { id: channelId, accountId, deletedAt: null } });
    if (!channel?.templatesSyncedAt) return false;
    if (now() - channel.templatesSyncedAt.getTime() < LEAST_INTERVAL_MS) return true;
    const last = this.#asked.get(channelId);
    if (last && now() - last.at < LEAST_INTERVAL_MS) return withinPatience(last.isSynced);
    const carrierSettings = channel.carrierSettings as OwnedChannel['carrierSettings'];
    const isSynced = syncTemplates(this.#options, { ...channel, carrierSettings }).then(
      () => true,
      () => false,
    );
    this.#asked.set(channelId, { at: now(), isSynced });
    return withinPatience(isSynced);
  }
}

/** The sync goes on for the next request where this one stops waiting. */
async function withinPatience(isSynced: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS).unref();
  });
  return Promise.race([isSynced, late]).finally(() => clearTimeout(timer));
}

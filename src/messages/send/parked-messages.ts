import type pg from 'pg';
import type { Logger } from 'pino';
import { findUnpaused } from '../../carriers/registry/channel-store.js';
import { GroupCommit } from '../../platform/group-commit.js';
import type { RetryEvent } from '../status/events.js';
import type { ClaimedMessage } from './send-store.js';
import { wakeChannelMessages } from './wake-store.js';

/** Parked messages are tried again after this time even if a process dies before waking them. */
const MAX_PARK_MS = 60 * 60_000;

export class ParkedMessages {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #checks: GroupCommit<string, void>;

  constructor({ pool, log }: { pool: pg.Pool; log: Logger }) {
    this.#pool = pool;
    this.#log = log;
    this.#checks = new GroupCommit<string, void>({
      commit: (channelIds) => this.#check(channelIds),
      batchWeight: 1_000,
    });
  }

  static createEvent(
    { id, requestId, attempt, validUntil }: Pick<ClaimedMessage, 'id' | 'requestId' | 'attempt' | 'validUntil'>,
    pausedChannelId: string,
    reason: Pick<RetryEvent, 'errorCode' | 'errorMessage' | 'maybeAccepted'>,
    now: Date,
  ): RetryEvent {
    const remainingMs = Math.max(0, validUntil.getTime() - now.getTime());
    const delayMs = Math.min(MAX_PARK_MS, remainingMs);
    return { type: 'retry', id, requestId, attempt, delayMs, pausedChannelId, ...reason };
  }

  /**
   * Must be called after a message is parked, because nothing else wakes the message if its channel was resumed just before.
   * The promise never rejects.
   */
  recheckChannel(channelId: string): Promise<void> {
    return this.#checks.add(channelId);
  }

  async #check(channelIds: readonly string[]): Promise<undefined[]> {
    try {
      for (const id of await findUnpaused(this.#pool, [...new Set(channelIds)]))
        await wakeChannelMessages(this.#pool, id);
    } catch (error) {
      this.#log.warn({ err: error }, 'cannot check whether a channel is still paused');
    }
    return channelIds.map(() => undefined);
  }
}

import type pg from 'pg';
import type { Logger } from 'pino';
import { findUnpaused } from '../../carriers/registry/channel-store.js';
import { GroupCommit } from '../../platform/group-commit.js';
import type { RetryEvent } from '../status/events.js';
import type { ClaimedMessage } from './send-store.js';
import { wakeMessagesOf } from './wake-store.js';

/** Resuming a channel wakes its messages; should a process die at the wrong moment, they are looked at after this long. */
const LONGEST_PARK_MS = 60 * 60_000;

/** Messages of a paused channel: they are put aside until the channel is resumed or their validity ends. */
export class Parking {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  /** Channels of messages that were just put aside. */
  readonly #checks: GroupCommit<string, void>;

  constructor({ pool, log }: { pool: pg.Pool; log: Logger }) {
    this.#pool = pool;
    this.#log = log;
    this.#checks = new GroupCommit<string, void>({
      commit: (channelIds) => this.#check(channelIds),
      batchWeight: 1_000,
    });
  }

  /** Puts a message aside. */
  static eventFor(
    { id, requestId, attempt, validUntil }: Pick<ClaimedMessage, 'id' | 'requestId' | 'attempt' | 'validUntil'>,
    pausedIn: string,
    reason: Pick<RetryEvent, 'errorCode' | 'errorMessage' | 'maybeAccepted'>,
    now: Date,
  ): RetryEvent {
    const remainingMs = Math.max(0, validUntil.getTime() - now.getTime());
    const delayMs = Math.min(LONGEST_PARK_MS, remainingMs);
    return { type: 'retry', id, requestId, attempt, delayMs, pausedIn, ...reason };
  }

  /**
   * Called once a message was put aside: its channel may have been resumed after it was seen paused, and whoever resumed
   * it did not find the message waiting yet. Never rejects.
   */
  parked(channelId: string): Promise<void> {
    return this.#checks.add(channelId);
  }

  async #check(channelIds: readonly string[]): Promise<undefined[]> {
    try {
      for (const id of await findUnpaused(this.#pool, [...new Set(channelIds)])) await wakeMessagesOf(this.#pool, id);
    } catch (error) {
      this.#log.warn({ err: error }, 'it could not be seen whether a channel is still paused');
    }
    return channelIds.map(() => undefined);
  }
}

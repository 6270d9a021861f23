import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { HEALTHY } from '../../carrier.js';

/** Health of channels whose token Meta refuses. */
export const TOKEN_REFUSED_HEALTH = 'token_refused';
const TEST_INTERVAL_MS = 15_000;

export interface TokenGuardOptions {
  log: Logger;
  /** Rejects if the response does not show whether Meta accepts the token. */
  isTokenAccepted(phoneNumberId: string): Promise<boolean>;
  storeHealth(channelId: string, status: string): Promise<void>;
  testIntervalMs?: number;
}

/**
 * Tests a refused token until Meta accepts it again. When an operator replaces the token, the carrier is opened again, and its
 * new guard finds that the token works.
 */
export class TokenGuard {
  readonly #options: TokenGuardOptions;
  /** Maps channel IDs to Meta's phone number IDs. */
  readonly #unhealthyChannels = new Map<string, string>();
  readonly #stop = new AbortController();
  #isRefused = false;
  #testing: Promise<void> | null = null;

  constructor(options: TokenGuardOptions) {
    this.#options = options;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Adds channels that another process, or a guard with another token, may have marked. */
  adoptChannels(channels: readonly { id: string; phoneNumberId: string }[]): void {
    for (const { id, phoneNumberId } of channels) this.#unhealthyChannels.set(id, phoneNumberId);
    if (channels.length > 0) this.#testing ??= this.#testUntilAccepted(0);
  }

  recordRefusal(channelId: string, phoneNumberId: string): void {
    if (!this.#isRefused) {
      this.#isRefused = true;
      this.#options.log.error('Meta refuses the access token; sending is paused');
    }
    this.markChannel(channelId, phoneNumberId);
    this.#testing ??= this.#testUntilAccepted(this.#options.testIntervalMs ?? TEST_INTERVAL_MS);
  }

  /** Called when a channel tries to send while the token is refused. */
  markChannel(channelId: string, phoneNumberId: string): void {
    if (this.#unhealthyChannels.has(channelId)) return;
    this.#unhealthyChannels.set(channelId, phoneNumberId);
    void this.#storeHealth(channelId, TOKEN_REFUSED_HEALTH);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#testing;
  }

  async #testUntilAccepted(firstMs: number): Promise<void> {
    const { signal } = this.#stop;
    let waitMs = firstMs;
    while (!signal.aborted && this.#unhealthyChannels.size > 0) {
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
      waitMs = this.#options.testIntervalMs ?? TEST_INTERVAL_MS;
      if (signal.aborted) break;
      // Each number is tested, because a number may no longer exist although the token works.
      for (const [channelId, phoneNumberId] of this.#unhealthyChannels) {
        if (signal.aborted) break;
        const isAccepted = await this.#options.isTokenAccepted(phoneNumberId).catch(() => null);
        if (isAccepted === false && !this.#isRefused) this.recordRefusal(channelId, phoneNumberId);
        if (isAccepted && !signal.aborted) await this.#recover(channelId);
      }
    }
    this.#testing = null;
  }

  async #recover(channelId: string): Promise<void> {
    if (this.#isRefused) {
      this.#isRefused = false;
      this.#options.log.info('Meta accepts the access token again');
    }
    if (!(await this.#storeHealth(channelId, HEALTHY))) return;
    // Meta may have refused another message while the health was being stored, and `markChannel` ignores channels that are
    // already marked.
    if (this.#isRefused) void this.#storeHealth(channelId, TOKEN_REFUSED_HEALTH);
    else this.#unhealthyChannels.delete(channelId);
  }

  async #storeHealth(channelId: string, status: string): Promise<boolean> {
    try {
      await this.#options.storeHealth(channelId, status);
      return true;
    } catch (error) {
      this.#options.log.warn({ err: error, channelId }, 'the health of a channel could not be stored');
      return false;
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { HEALTHY } from '../../carrier.js';

/** What a channel's `healthStatus` says while Meta refuses the token that it sends with. */
export const TOKEN_REFUSED_HEALTH = 'token_refused';
/** How often a refused token is tried again. */
const TRY_EVERY_MS = 15_000;

export interface TokenGuardOptions {
  /** Names the carrier in every line. */
  log: Logger;
  /** Whether Meta takes the token now, asked with the number of a channel; rejects where that cannot be told. */
  works(phoneNumberId: string): Promise<boolean>;
  /** Stores a channel's health. */
  health(channelId: string, status: string): Promise<void>;
  tryEveryMs?: number;
}

/**
 * Remembers that Meta refuses a token, tells it by the health of the channels that send with it, and tries the token
 * again from time to time. A replaced token comes with a carrier of its own, whose guard finds that it works.
 */
export class TokenGuard {
  readonly #options: TokenGuardOptions;
  /** Meta's id of the number by our id of the channel: those whose health says that the token is refused. */
  readonly #reported = new Map<string, string>();
  readonly #stop = new AbortController();
  #refused = false;
  #trying: Promise<void> | null = null;

  constructor(options: TokenGuardOptions) {
    this.#options = options;
  }

  get refused(): boolean {
    return this.#refused;
  }

  /** Takes over channels that were reported before, by another process or with another token. */
  inherit(channels: readonly { id: string; phoneNumberId: string }[]): void {
    for (const { id, phoneNumberId } of channels) this.#reported.set(id, phoneNumberId);
    if (channels.length > 0) this.#trying ??= this.#try(0);
  }

  /** Meta has refused the token in a send of this channel. */
  refuse(channelId: string, phoneNumberId: string): void {
    if (!this.#refused) {
      this.#refused = true;
      this.#options.log.error('Meta refuses the access token; sending is paused');
    }
    this.note(channelId, phoneNumberId);
    this.#trying ??= this.#try(this.#options.tryEveryMs ?? TRY_EVERY_MS);
  }

  /** A channel wants to send with the token while it is refused: its health says so too. */
  note(channelId: string, phoneNumberId: string): void {
    if (this.#reported.has(channelId)) return;
    this.#reported.set(channelId, phoneNumberId);
    void this.#report(channelId, TOKEN_REFUSED_HEALTH);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#trying;
  }

  async #try(firstMs: number): Promise<void> {
    const { signal } = this.#stop;
    let waitMs = firstMs;
    while (!signal.aborted && this.#reported.size > 0) {
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
      waitMs = this.#options.tryEveryMs ?? TRY_EVERY_MS;
      if (signal.aborted) break;
      // A number may be gone while the token works: each is asked for itself.
      for (const [channelId, phoneNumberId] of this.#reported) {
        if (signal.aborted) break;
        const works = await this.#options.works(phoneNumberId).catch(() => null);
        if (works === false && !this.#refused) this.refuse(channelId, phoneNumberId);
        if (works && !signal.aborted) await this.#recover(channelId);
      }
    }
    this.#trying = null;
  }

  async #recover(channelId: string): Promise<void> {
    if (this.#refused) {
      this.#refused = false;
      this.#options.log.info('Meta takes the access token again');
    }
    if (!(await this.#report(channelId, HEALTHY))) return;
    // What was let go by then may have met the refusal again, and is not noted a second time.
    if (this.#refused) void this.#report(channelId, TOKEN_REFUSED_HEALTH);
    else this.#reported.delete(channelId);
  }

  async #report(channelId: string, status: string): Promise<boolean> {
    try {
      await this.#options.health(channelId, status);
      return true;
    } catch (error) {
      this.#options.log.warn({ err: error, channelId }, 'the health of a channel could not be stored');
      return false;
    }
  }
}

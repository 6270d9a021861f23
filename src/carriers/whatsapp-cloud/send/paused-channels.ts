import type { Logger } from 'pino';
import type { CarrierSinks, ChannelPause } from '../../carrier.js';
import { CarrierError } from '../../carrier-error.js';
import { vendorCode } from '../../failure-codes.js';

/** Messages that were claimed before a pause reach the carrier within this time. */
const REMEMBERED_MS = 2_000;

/** Remembers recently paused channels, to stop messages that were claimed before the pause. */
export class PausedChannels {
  readonly #options: { log: Logger; pause: CarrierSinks['pause'] };
  readonly #recent = new Map<string, { pause: ChannelPause; until: number }>();

  constructor(options: { log: Logger; pause: CarrierSinks['pause'] }) {
    this.#options = options;
  }

  /**
   * Resolves once the pause is stored. Failures are only logged, because the next refused message will pause the
   * channel again.
   */
  async pauseChannel(channelId: string, pause: ChannelPause): Promise<void> {
    this.#recent.set(channelId, { pause, until: performance.now() + REMEMBERED_MS });
    try {
      await this.#options.pause(channelId, pause);
    } catch (error) {
      this.#options.log.warn({ err: error, channelId }, 'the pause of a channel could not be stored');
    }
  }

  /** @throws {CarrierError} */
  requireNotPaused(channelId: string): void {
    const recent = this.#recent.get(channelId);
    if (!recent) return;
    if (performance.now() >= recent.until) {
      this.#recent.delete(channelId);
      return;
    }
    const { code, reason } = recent.pause;
    throw CarrierError.unavailable(vendorCode(code), reason).with({ channelPaused: true });
  }
}

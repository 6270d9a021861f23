import { setTimeout as pause } from 'node:timers/promises';
import type { BackgroundStoreOptions } from '../../../../platform/background/background-work.js';
import type { Clock } from '../../../../platform/clock.js';
import { retryUntilKnown } from '../../../../platform/store/repeat.js';
import type { DeliveryResult } from '../delivery-store.js';
import { applyOutcomes, type EndpointOutcomes } from './health-store.js';

/** Successes are collected for this long, but failures are written immediately. */
const COLLECT_MS = 200;
const RETRY_PAUSE_MS = 500;

export interface HealthWriterOptions extends BackgroundStoreOptions {
  clock: Clock;
  /** `onWritten` is called after each write and must not throw. */
  onWritten?(accountIds: ReadonlySet<string>): void;
}

/**
 * Writes the health of webhooks in separate statements after the results, so that a locked webhook row delays no
 * result.
 */
export class HealthWriter {
  readonly #options: HealthWriterOptions;
  #outcomes = new Map<string, EndpointOutcomes>();
  #accounts = new Set<string>();
  #writing: Promise<void> | null = null;
  #pauseController = new AbortController();
  #stopping = false;

  constructor(options: HealthWriterOptions) {
    this.#options = options;
  }

  add(results: readonly DeliveryResult[]): void {
    for (const { webhookId, url, accountId, ok, gone, endedAt } of results) {
      const key = `${webhookId} ${url}`;
      const latest = this.#outcomes.get(key) ?? { webhookId, url, succeededAt: null, failedAt: null, gone: false };
      if (ok) latest.succeededAt = Math.max(latest.succeededAt ?? endedAt, endedAt);
      else if (gone) latest.gone = true;
      else latest.failedAt = Math.max(latest.failedAt ?? endedAt, endedAt);
      this.#outcomes.set(key, latest);
      this.#accounts.add(accountId);
    }
    if (results.some(({ ok }) => !ok)) this.#pauseController.abort();
    this.#writing ??= this.#write();
  }

  async close(): Promise<void> {
    this.#stopping = true;
    this.#pauseController.abort();
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#outcomes.size > 0) {
      await pause(this.#stopping ? 0 : COLLECT_MS, undefined, { signal: this.#pauseController.signal }).catch(
        () => undefined,
      );
      this.#pauseController = new AbortController();
      const [outcomes, accounts] = [[...this.#outcomes.values()], this.#accounts];
      this.#outcomes = new Map();
      this.#accounts = new Set();
      await this.#apply(outcomes);
      this.#options.onWritten?.(accounts);
    }
    this.#writing = null;
  }

  /** The write is safe to repeat, because outcomes that are already applied change nothing. */
  async #apply(outcomes: readonly EndpointOutcomes[]): Promise<void> {
    const { pool, log, clock } = this.#options;
    try {
      const disabled = await retryUntilKnown(() => applyOutcomes(pool, outcomes, clock.now()), {
        pauseMs: RETRY_PAUSE_MS,
        isStopping: () => this.#stopping,
        onFailure: (error) =>
          log.warn({ err: error }, 'the health of webhooks cannot be written while the store is unavailable'),
      });
      for (const { id, reason } of disabled) log.warn({ webhookId: id, reason }, 'a webhook was disabled');
    } catch (error) {
      log.error({ err: error, webhooks: outcomes.length }, 'the health of webhooks could not be written');
    }
  }
}

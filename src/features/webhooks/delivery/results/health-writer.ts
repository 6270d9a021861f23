import { setTimeout as pause } from 'node:timers/promises';
import type { KeyedWorkOptions } from '../../../../platform/background/background-work.js';
import type { Clock } from '../../../../platform/clock.js';
import { untilKnown } from '../../../../platform/store/repeat.js';
import type { DeliveryResult } from '../delivery-store.js';
import { applyNews, type EndpointNews } from './health-store.js';

/** Milliseconds for which successes are collected before they are written. Failures are written at once. */
const COLLECT_MS = 200;
const REPEAT_PAUSE_MS = 500;

export interface HealthWriterOptions extends KeyedWorkOptions {
  clock: Clock;
  /** Called after each write with the accounts of the webhooks; must not throw. */
  onWritten?(accountIds: ReadonlySet<string>): void;
}

/**
 * Writes since when webhooks fail, behind their results and in statements of its own: a webhook's row that is locked
 * holds up no result. It keeps one entry for each webhook, however long it has to wait.
 */
export class HealthWriter {
  readonly #options: HealthWriterOptions;
  #news = new Map<string, EndpointNews>();
  #accounts = new Set<string>();
  #writing: Promise<void> | null = null;
  #hurry = new AbortController();
  #stopping = false;

  constructor(options: HealthWriterOptions) {
    this.#options = options;
  }

  /** Adds results that have been recorded. */
  add(results: readonly DeliveryResult[]): void {
    for (const { webhookId, url, accountId, ok, gone, endedAt } of results) {
      const key = `${webhookId} ${url}`;
      const known = this.#news.get(key) ?? { webhookId, url, succeededAt: null, failedAt: null, gone: false };
      if (ok) known.succeededAt = Math.max(known.succeededAt ?? endedAt, endedAt);
      else if (gone) known.gone = true;
      else known.failedAt = Math.max(known.failedAt ?? endedAt, endedAt);
      this.#news.set(key, known);
      this.#accounts.add(accountId);
    }
    if (results.some(({ ok }) => !ok)) this.#hurry.abort();
    this.#writing ??= this.#write();
  }

  /** Writes what is left at once, and from then on does not wait for a store that is away. */
  async close(): Promise<void> {
    this.#stopping = true;
    this.#hurry.abort();
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#news.size > 0) {
      await pause(this.#stopping ? 0 : COLLECT_MS, undefined, { signal: this.#hurry.signal }).catch(() => undefined);
      this.#hurry = new AbortController();
      const [news, accounts] = [[...this.#news.values()], this.#accounts];
      this.#news = new Map();
      this.#accounts = new Set();
      await this.#apply(news);
      this.#options.onWritten?.(accounts);
    }
    this.#writing = null;
  }

  /** Repeating it is safe: a moment that is known already changes nothing. */
  async #apply(news: readonly EndpointNews[]): Promise<void> {
    const { pool, log, clock } = this.#options;
    try {
      const disabled = await untilKnown(() => applyNews(pool, news, clock.now()), {
        pauseMs: REPEAT_PAUSE_MS,
        isStopping: () => this.#stopping,
        onFailure: (error) => log.warn({ err: error }, 'the state of webhooks waits for the store'),
      });
      for (const { id, reason } of disabled) log.warn({ webhookId: id, reason }, 'a webhook was disabled');
    } catch (error) {
      log.error({ err: error, webhooks: news.length }, 'the state of webhooks could not be written');
    }
  }
}

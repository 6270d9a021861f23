import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import type { Metric } from '../../../platform/metrics/metric.js';
import { inTransaction } from '../../../platform/store/connections/pool.js';
import { emitClicks } from './click-events.js';
import { addClicks, type ClickedLink, type Clicks } from './click-store.js';

/** Clicks are collected for this time. A process that is killed loses them. */
const COLLECT_MS = 500;
const MAX_PAUSE_MS = 5_000;
/** Links that one transaction updates. */
const BATCH_SIZE = 500;
/** Clicks on further links are lost while the store is down. About 4 MB. */
const MAX_WAITING_LINKS = 10_000;

export interface ClickCounterOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  /** Called after a commit with clicks by people. */
  onCounted(accountIds: ReadonlySet<string>): void;
}

/**
 * Counts clicks in the background, so that no visitor waits for the counting. Clicks on the same link are added up before they
 * are written, so a flood of clicks costs as much as a single one.
 */
export class ClickCounter {
  readonly #options: ClickCounterOptions;
  readonly #waiting = new Map<string, Clicks>();
  readonly #closing = new AbortController();
  /** Repeated with its ID until it is stored, so that a lost response does not count it twice. */
  #batch: { id: string; clicks: readonly Clicks[] } | null = null;
  #writing: Promise<void> | null = null;
  #flushing: Promise<void> | null = null;
  #failures = 0;
  #counts = { person: 0, bot: 0, lost: 0 };

  constructor(options: ClickCounterOptions) {
    this.#options = options;
  }

  /** Never throws and never waits. */
  count(code: string, isPerson: boolean): void {
    const clicks = this.#waiting.get(code) ?? this.#startCounting(code);
    if (!clicks) {
      this.#counts.lost++;
      return;
    }
    this.#counts[isPerson ? 'person' : 'bot']++;
    if (isPerson) {
      const now = this.#options.clock.now();
      clicks.people++;
      clicks.firstAt ??= now;
      clicks.lastAt = now;
    } else clicks.bots++;
    if (!this.#closing.signal.aborted) this.#writing ??= this.#write();
  }

  /** Writes the clicks so far, and rejects if the store fails. */
  flush(): Promise<void> {
    this.#flushing ??= this.#writeAll().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  /** Writes the clicks so far without retries, and logs how many are lost. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
    await this.flush().catch((err: unknown) => {
      const lost = [...(this.#batch?.clicks ?? []), ...this.#waiting.values()];
      const clicks = lost.reduce((sum, { people, bots }) => sum + people + bots, 0);
      this.#options.log.error({ err, clicks }, 'clicks on short links were lost');
    });
  }

  metrics(): Metric[] {
    return [
      {
        name: 'heliograph_link_clicks_total',
        help: 'Visits of short links, by people and by bots or link previews',
        type: 'counter',
        labels: ['by'],
        read: () => (['person', 'bot'] as const).map((by) => ({ labels: { by }, value: this.#counts[by] })),
      },
      {
        name: 'heliograph_link_clicks_lost_total',
        help: 'Visits of short links that were redirected but not counted, because the store was down for too long',
        type: 'counter',
        read: () => [{ value: this.#counts.lost }],
      },
    ];
  }

  #startCounting(code: string): Clicks | null {
    if (this.#waiting.size >= MAX_WAITING_LINKS) return null;
    const clicks = { code, people: 0, bots: 0, firstAt: null, lastAt: null };
    this.#waiting.set(code, clicks);
    return clicks;
  }

  async #write(): Promise<void> {
    const { log } = this.#options;
    const { signal } = this.#closing;
    while ((this.#batch || this.#waiting.size > 0) && !signal.aborted) {
      const delayMs = Math.min(COLLECT_MS * 2 ** this.#failures, MAX_PAUSE_MS);
      await pause(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) break;
      try {
        await this.flush();
        this.#failures = 0;
      } catch (err) {
        this.#failures++;
        log.warn({ err, links: this.#waiting.size }, 'could not count clicks on short links; retrying');
      }
    }
    this.#writing = null;
  }

  async #writeAll(): Promise<void> {
    while (this.#batch || this.#waiting.size > 0) await this.#writeBatch();
  }

  async #writeBatch(): Promise<void> {
    const { pool, onCounted } = this.#options;
    this.#batch ??= { id: newId(), clicks: this.#takeBatch() };
    const { id, clicks } = this.#batch;
    const clicked = await inTransaction(pool, async (client): Promise<ClickedLink[]> => {
      const links = await addClicks(client, id, clicks);
      await emitClicks(client, links);
      return links;
    });
    this.#batch = null;
    if (clicked.length > 0) onCounted(new Set(clicked.map(({ accountId }) => accountId)));
  }

  #takeBatch(): Clicks[] {
    const batch = [...this.#waiting.values()].slice(0, BATCH_SIZE);
    for (const { code } of batch) this.#waiting.delete(code);
    return batch;
  }
}

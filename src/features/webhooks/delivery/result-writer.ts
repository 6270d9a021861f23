import type { KeyedWorkOptions } from '../../../platform/background/background-work.js';
import type { Clock } from '../../../platform/clock.js';
import { GroupCommit } from '../../../platform/group-commit.js';
import { isTransient } from '../../../platform/store/failures.js';
import { untilKnown } from '../../../platform/store/repeat.js';
import { type DeliveryResult, recordResults } from './delivery-store.js';
import { applyNews, type EndpointNews } from './health-store.js';

const BATCH_RESULTS = 1_000;
const REPEAT_PAUSE_MS = 500;

export interface ResultWriterOptions extends KeyedWorkOptions {
  clock: Clock;
  /** Told after each commit of the accounts whose deliveries it holds; must not throw. */
  onWritten?(accountIds: ReadonlySet<string>): void;
}

/** Writes the results of tries, in batches, and what they tell of their webhooks. */
export class ResultWriter {
  readonly #options: ResultWriterOptions;
  readonly #commits: GroupCommit<DeliveryResult, true>;
  #stopping = false;

  constructor(options: ResultWriterOptions) {
    this.#options = options;
    this.#commits = new GroupCommit<DeliveryResult, true>({
      commit: (batch) => this.#commit(batch),
      // The line needs no limit: what is under way is bounded, and nothing is claimed while the store is away.
      batchWeight: BATCH_RESULTS,
    });
  }

  /** Resolves once the result is written, or given up: then the lease runs out and the delivery is tried again. */
  async write(result: DeliveryResult): Promise<void> {
    await this.#commits.add(result).catch(() => undefined);
  }

  /** Writes what waits, and from then on no longer waits for a store that is away. */
  async close(): Promise<void> {
    this.#stopping = true;
    await this.#commits.idle();
  }

  /** Results that cannot be written together are written one by one, so that only those at fault are lost. */
  async #commit(batch: readonly DeliveryResult[]): Promise<(true | Error)[]> {
    const { log } = this.#options;
    try {
      await untilKnown(() => this.#apply(batch), {
        pauseMs: REPEAT_PAUSE_MS,
        isStopping: () => this.#stopping,
        onFailure: (error) => log.warn({ err: error }, 'results of webhook deliveries wait for the store'),
      });
      this.#options.onWritten?.(new Set(batch.map(({ accountId }) => accountId)));
      return batch.map(() => true);
    } catch (error) {
      if (batch.length > 1 && !isTransient(error)) {
        const results: (true | Error)[] = [];
        for (const result of batch) results.push(...(await this.#commit([result])));
        return results;
      }
      const which = batch.length === 1 ? { deliveryId: batch[0]?.id } : { results: batch.length };
      log.error({ err: error, ...which }, 'results of webhook deliveries could not be written');
      return batch.map(() => error as Error);
    }
  }

  /** Repeating it is safe: what was written no longer fulfils the condition of its statement. */
  async #apply(batch: readonly DeliveryResult[]): Promise<void> {
    const { pool, log, clock } = this.#options;
    const marked = await recordResults(pool, batch);
    const news = newsOf(batch, marked);
    if (news.length === 0) return;
    for (const { id, reason } of await applyNews(pool, news, clock.now())) {
      log.warn({ webhookId: id, reason }, 'a webhook was disabled');
    }
  }
}

/**
 * One entry for each webhook that may have to be changed; those that go on well are not among them.
 * @param marked those that are marked as failing now: it may have come to that since these deliveries were claimed
 */
function newsOf(batch: readonly DeliveryResult[], marked: ReadonlySet<string>): EndpointNews[] {
  const news = new Map<string, EndpointNews & { quiet: boolean }>();
  for (const { webhookId, url, ok, gone } of batch) {
    const key = `${webhookId} ${url}`;
    const known = news.get(key) ?? { webhookId, url, ok: false, gone: false, quiet: true };
    known.ok ||= ok;
    known.gone ||= gone;
    known.quiet &&= ok && !marked.has(webhookId);
    news.set(key, known);
  }
  return [...news.values()].filter(({ quiet }) => !quiet);
}

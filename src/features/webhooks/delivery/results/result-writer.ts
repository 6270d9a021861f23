import { GroupCommit } from '../../../../platform/group-commit.js';
import { isTransient } from '../../../../platform/store/failures.js';
import { retryUntilKnown } from '../../../../platform/store/repeat.js';
import { type DeliveryResult, recordResults } from '../delivery-store.js';
import { HealthWriter, type HealthWriterOptions } from './health-writer.js';

const BATCH_RESULTS = 1_000;
const RETRY_PAUSE_MS = 500;

export type ResultWriterOptions = HealthWriterOptions;

export class ResultWriter {
  readonly #options: ResultWriterOptions;
  readonly #health: HealthWriter;
  readonly #commits: GroupCommit<DeliveryResult, true>;
  #stopping = false;

  constructor(options: ResultWriterOptions) {
    this.#options = options;
    this.#health = new HealthWriter(options);
    this.#commits = new GroupCommit<DeliveryResult, true>({
      commit: (batch) => this.#commit(batch),
      // The queue needs no limit, because attempts in flight are limited, and no deliveries are claimed while the store
      // is unavailable.
      batchWeight: BATCH_RESULTS,
    });
  }

  /** Also resolves if the result is abandoned, in which case the delivery is repeated when its lease expires. */
  async write(result: DeliveryResult): Promise<void> {
    await this.#commits.add(result).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#stopping = true;
    await this.#commits.waitUntilIdle();
    await this.#health.close();
  }

  /** If a batch cannot be written, its results are written one by one, so that only invalid results are lost. */
  async #commit(batch: readonly DeliveryResult[]): Promise<(true | Error)[]> {
    const { pool, log } = this.#options;
    try {
      // The statement is safe to repeat, because a written result no longer matches its condition.
      await retryUntilKnown(() => recordResults(pool, batch), {
        pauseMs: RETRY_PAUSE_MS,
        isStopping: () => this.#stopping,
        onFailure: (error) =>
          log.warn({ err: error }, 'results of webhook deliveries cannot be written while the store is unavailable'),
      });
      this.#health.add(batch);
      this.#options.onWritten?.(new Set(batch.map(({ accountId }) => accountId)));
      return batch.map(() => true);
    } catch (error) {
      if (batch.length > 1 && !isTransient(error)) {
        const results: (true | Error)[] = [];
        for (const result of batch) results.push(...(await this.#commit([result])));
        return results;
      }
      const context = batch.length === 1 ? { deliveryId: batch[0]?.id } : { results: batch.length };
      log.error({ err: error, ...context }, 'results of webhook deliveries could not be written');
      return batch.map(() => error as Error);
    }
  }
}

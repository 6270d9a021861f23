import { GroupCommit } from '../../../../platform/group-commit.js';
import { isTransient } from '../../../../platform/store/failures.js';
import { untilKnown } from '../../../../platform/store/repeat.js';
import { type DeliveryResult, recordResults } from '../delivery-store.js';
import { HealthWriter, type HealthWriterOptions } from './health-writer.js';

const BATCH_RESULTS = 1_000;
const REPEAT_PAUSE_MS = 500;

/** `onWritten` is called after each write of results, and again after that of their webhooks. */
export type ResultWriterOptions = HealthWriterOptions;

/** Writes the results of tries in batches, and then the state of their webhooks. */
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
      // The line needs no limit: what is under way is bounded, and nothing is claimed while the store is away.
      batchWeight: BATCH_RESULTS,
    });
  }

  /** Resolves once the result is written, or given up: then the lease runs out and the delivery is tried again. */
  async write(result: DeliveryResult): Promise<void> {
    await this.#commits.add(result).catch(() => undefined);
  }

  /** Writes what is left, and from then on does not wait for a store that is away. */
  async close(): Promise<void> {
    this.#stopping = true;
    await this.#commits.idle();
    await this.#health.close();
  }

  /** Results that cannot be written together are written one by one, so that only those at fault are lost. */
  async #commit(batch: readonly DeliveryResult[]): Promise<(true | Error)[]> {
    const { pool, log } = this.#options;
    try {
      // Repeating it is safe: a result that was written no longer meets the condition of its statement.
      await untilKnown(() => recordResults(pool, batch), {
        pauseMs: REPEAT_PAUSE_MS,
        isStopping: () => this.#stopping,
        onFailure: (error) => log.warn({ err: error }, 'results of webhook deliveries wait for the store'),
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
      const which = batch.length === 1 ? { deliveryId: batch[0]?.id } : { results: batch.length };
      log.error({ err: error, ...which }, 'results of webhook deliveries could not be written');
      return batch.map(() => error as Error);
    }
  }
}

import type pg from 'pg';
import type { Logger } from 'pino';
import { GroupCommit } from '../../../platform/group-commit.js';
import type { Metric } from '../../../platform/metrics/metric.js';
import { Tally } from '../../../platform/metrics/tally.js';
import { retryUntilKnown } from '../../../platform/store/repeat.js';
import type { QuietAccounts } from '../../quiet-hours/quiet-accounts.js';
import { RULE_PRESETS } from '../../quiet-hours/rules/presets.js';
import type { ClaimedMessage } from '../send-store.js';
import { type Hold, holdMessages, readQuietDetails } from './hold-store.js';
import { MessageHours } from './message-hours.js';

/** The metric does not contain the names of accounts' own rules. */
const PRESET_LABELS: ReadonlySet<string> = new Set(RULE_PRESETS.map(({ label }) => label));

const BATCH_MESSAGES = 500;
const RETRY_PAUSE_MS = 500;

/** `unknown`: whether quiet hours apply could not be read. */
export type KnownHours = MessageHours | 'unknown';

/** Finds the quiet hours of claimed messages, and returns messages to the queue until the hours end. */
export class Holds {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #accounts: QuietAccounts;
  readonly #writes: GroupCommit<Hold, void>;
  readonly #heldMessages = new Tally('rule', 'purpose');

  constructor({ pool, log, quietAccounts }: { pool: pg.Pool; log: Logger; quietAccounts: QuietAccounts }) {
    this.#pool = pool;
    this.#log = log;
    this.#accounts = quietAccounts;
    this.#writes = new GroupCommit<Hold, void>({
      commit: (holds) => this.#write(holds),
      batchWeight: BATCH_MESSAGES,
    });
  }

  metrics(): Metric[] {
    return [
      this.#heldMessages.toMetric(
        'heliograph_quiet_hours_holds_total',
        'Messages held until quiet hours end, by rule and purpose',
      ),
    ];
  }

  /** Returns the hours of messages to which quiet hours apply, by message ID. Other accounts cost no query. */
  async findHours(messages: readonly ClaimedMessage[]): Promise<ReadonlyMap<string, KnownHours>> {
    const hoursById = new Map<string, KnownHours>();
    if (this.#accounts.isEmpty) return hoursById;
    const covered = messages.filter(({ accountId }) => this.#accounts.find(accountId) !== undefined);
    if (covered.length === 0) return hoursById;
    const details = await readQuietDetails(
      this.#pool,
      covered.map(({ id }) => id),
    ).catch((error: unknown) => {
      this.#log.warn({ err: error, messages: covered.length }, 'cannot read whether quiet hours apply to messages');
      return null;
    });
    const detailsById = new Map(details?.map((each) => [each.id, each]));
    for (const message of covered) {
      const account = this.#accounts.find(message.accountId);
      const messageDetails = detailsById.get(message.id);
      if (!account || !messageDetails) hoursById.set(message.id, 'unknown');
      else {
        const hours = MessageHours.create(account, message, messageDetails);
        if (hours) hoursById.set(message.id, hours);
      }
    }
    return hoursById;
  }

  /** Resolves once the hold is committed. */
  hold(hold: Hold): Promise<void> {
    return this.#writes.add(hold);
  }

  async #write(holds: readonly Hold[]): Promise<undefined[]> {
    const heldIds = await retryUntilKnown(() => holdMessages(this.#pool, holds), {
      pauseMs: RETRY_PAUSE_MS,
      isStopping: () => false,
      onFailure: (error) => this.#log.warn({ err: error }, 'cannot hold messages, retrying'),
    });
    for (const { id, rule, purpose } of holds)
      if (heldIds.has(id)) this.#heldMessages.add(PRESET_LABELS.has(rule) ? rule : 'own', purpose);
    return holds.map(() => undefined);
  }
}

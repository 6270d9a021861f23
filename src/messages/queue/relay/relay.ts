import type { CarrierRegistry } from '../../../carriers/registry/registry.js';
import { BackgroundWork, type KeyedWorkOptions } from '../../../platform/background/background-work.js';
import type { Clock } from '../../../platform/clock.js';
import { laneOf } from '../../lanes.js';
import type { ReceiptDesk } from '../../status/receipt-desk.js';
import type { DueMessage } from '../jobs.js';
import type { SendHints } from '../send-hints.js';
import type { Workers } from '../workers.js';
import { DueReach } from './due-reach.js';
import { type DueRow, expireOverdue, LOOK_LIMIT, lookAtSentSoon, takeDue, takeForgotten } from './relay-store.js';

/** How often the relay looks for what is due. */
const LOOK_EVERY_MS = 500;
/** Every how many looks it asks the queue what it holds, and looks for stored receipts. */
const SLOW_LOOK = 4;

export interface RelayOptions extends KeyedWorkOptions {
  clock: Clock;
  hints: Pick<SendHints, 'add' | 'waiting'>;
  /** Those of this process. */
  workers: Pick<Workers, 'look'>;
  carriers: CarrierRegistry;
  receipts: ReceiptDesk;
}

/**
 * Finds committed messages that the queue lost or never got, whose lease ran out, or whose retry is due, and queues
 * them again; asks for missing receipts; expires what no carrier reports on; and has workers looked at. Any number of processes may run one.
 */
export class Relay extends BackgroundWork<RelayOptions> {
  #looks = 0;
  readonly #reach = new DueReach();

  constructor(options: RelayOptions) {
    super(options, { everyMs: LOOK_EVERY_MS, failure: 'the relay could not look for what is due' });
  }

  protected override async look(signal: AbortSignal): Promise<void> {
    const { pool, carriers } = this.options;
    const looks = this.#looks;
    this.#looks += 1;
    // Receipts that were on their way in a process that died are asked for at once.
    if (looks === 0) await lookAtSentSoon(pool, carriers.repeating()).catch(() => undefined);
    await this.#lookForDue(signal);
    if (looks % SLOW_LOOK === 0) await this.#lookBehind(signal);
  }

  /** Works on everything that is due now. */
  async #lookForDue(signal: AbortSignal): Promise<void> {
    const { clock, carriers, hints } = this.options;
    for (;;) {
      const began = performance.now();
      const reach = this.#reach.next(began);
      const rows = await takeDue(this.options.pool, {
        now: clock.now(),
        repeatingCarriers: carriers.repeating(),
        reach,
      });
      const foundAll = rows.length < LOOK_LIMIT;
      this.#reach.looked({ reach, began, ended: performance.now(), foundAll });
      const due = rows.filter((row) => row.action === 'queue');
      if (due.length > 0) await hints.add(due.sort(byPlace));
      await this.#settleSent(rows);
      if (foundAll || signal.aborted) return;
    }
  }

  /** Queues again what the queue has forgotten, and applies receipts that were stored early. */
  async #lookBehind(signal: AbortSignal): Promise<void> {
    const { pool, hints, workers, receipts } = this.options;
    await receipts.collect();
    const waiting = await hints.waiting();
    const empty = waiting?.empty ?? [];
    workers.look(waiting?.ready ?? [], [...new Set(empty.map(laneOf))]);
    for (const priority of empty) {
      let forgotten: DueMessage[];
      do {
        forgotten = await takeForgotten(pool, priority);
        if (forgotten.length > 0) await hints.add(forgotten.sort(byPlace));
      } while (forgotten.length === LOOK_LIMIT && !signal.aborted);
    }
  }

  async #settleSent(rows: readonly DueRow[]): Promise<void> {
    const { pool, clock, carriers } = this.options;
    const overdue = rows.filter((row) => row.action === 'overdue').map((row) => row.id);
    if (overdue.length > 0) await expireOverdue(pool, overdue, clock.now());
    for (const name of carriers.repeating()) {
      const silent = rows.filter((row) => row.action === 'repeat' && row.carrier === name && row.carrierMessageId);
      if (silent.length === 0) continue;
      carriers.findReceiving(name)?.repeatReceipts?.(
        silent.map((row) => ({
          carrierMessageId: row.carrierMessageId as string,
          to: row.recipient,
          kind: row.kind,
        })),
      );
    }
  }
}

/** Higher priorities first, and within one the order of acceptance. */
function byPlace(a: DueMessage, b: DueMessage): number {
  return b.priority - a.priority || (a.id < b.id ? -1 : 1);
}

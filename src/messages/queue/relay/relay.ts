import type { CarrierRegistry } from '../../../carriers/registry/registry.js';
import { type BackgroundStoreOptions, BackgroundWork } from '../../../platform/background/background-work.js';
import type { Clock } from '../../../platform/clock.js';
import { laneFor } from '../../lanes.js';
import type { ReceiptDesk } from '../../status/receipt-desk.js';
import type { DueMessage } from '../jobs.js';
import type { SendHints } from '../send-hints.js';
import type { Workers } from '../workers.js';
import { RelayLookback } from './lookback.js';
import {
  type DueRow,
  expireOverdue,
  SCAN_LIMIT,
  scheduleReceiptRequests,
  takeDueMessages,
  takeLostMessages,
} from './relay-store.js';

const LOOK_INTERVAL_MS = 500;
/** The relay checks the queue and the stored receipts only in every n-th look, where n is this number. */
const SLOW_LOOK = 4;

export interface RelayOptions extends BackgroundStoreOptions {
  clock: Clock;
  hints: Pick<SendHints, 'add' | 'inspect'>;
  workers: Pick<Workers, 'check'>;
  carriers: CarrierRegistry;
  receipts: ReceiptDesk;
}

/**
 * Queues messages again if the queue lost or never got them, if their lease expired, or if a retry is due. Any number of
 * processes may run a relay.
 */
export class Relay extends BackgroundWork<RelayOptions> {
  #looks = 0;
  readonly #lookback = new RelayLookback();

  constructor(options: RelayOptions) {
    super(options, { everyMs: LOOK_INTERVAL_MS, failure: 'the relay cannot look for due messages' });
  }

  protected override async poll(signal: AbortSignal): Promise<void> {
    const { pool, carriers } = this.options;
    const looks = this.#looks;
    this.#looks += 1;
    // At the start, receipts are requested again, because they may have been lost with a process that died.
    if (looks === 0)
      await scheduleReceiptRequests(pool, carriers.listNamesWithReceiptRequests()).catch(() => undefined);
    await this.#lookForDue(signal);
    if (looks % SLOW_LOOK === 0) await this.#recoverLost(signal);
  }

  async #lookForDue(signal: AbortSignal): Promise<void> {
    const { clock, carriers, hints } = this.options;
    for (;;) {
      const startedAt = performance.now();
      const reach = this.#lookback.chooseReach(startedAt);
      const rows = await takeDueMessages(this.options.pool, {
        now: clock.now(),
        repeatingCarriers: carriers.listNamesWithReceiptRequests(),
        reach,
      });
      const foundAll = rows.length < SCAN_LIMIT;
      this.#lookback.recordScan({ reach, startedAt, endedAt: performance.now(), foundAll });
      const dueRows = rows.filter((row) => row.action === 'queue');
      if (dueRows.length > 0) await hints.add(dueRows.sort(byPriority));
      await this.#handleSent(rows);
      if (foundAll || signal.aborted) return;
    }
  }

  async #recoverLost(signal: AbortSignal): Promise<void> {
    const { pool, hints, workers, receipts } = this.options;
    await receipts.sweep();
    const contents = await hints.inspect();
    const empty = contents?.empty ?? [];
    workers.check(contents?.ready ?? [], [...new Set(empty.map(laneFor))]);
    for (const priority of empty) {
      let lostMessages: DueMessage[];
      do {
        lostMessages = await takeLostMessages(pool, priority);
        if (lostMessages.length > 0) await hints.add(lostMessages.sort(byPriority));
      } while (lostMessages.length === SCAN_LIMIT && !signal.aborted);
    }
  }

  async #handleSent(rows: readonly DueRow[]): Promise<void> {
    const { pool, clock, carriers } = this.options;
    const overdue = rows.filter((row) => row.action === 'overdue').map((row) => row.id);
    if (overdue.length > 0) await expireOverdue(pool, overdue, clock.now());
    for (const name of carriers.listNamesWithReceiptRequests()) {
      const withoutReceipt = rows.filter(
        (row) => row.action === 'repeat' && row.carrier === name && row.carrierMessageId,
      );
      if (withoutReceipt.length === 0) continue;
      carriers.findReceiving(name)?.requestReceipts?.(
        withoutReceipt.map((row) => ({
          carrierMessageId: row.carrierMessageId as string,
          to: row.recipient,
          kind: row.kind,
        })),
      );
    }
  }
}

function byPriority(a: DueMessage, b: DueMessage): number {
  return b.priority - a.priority || (a.id < b.id ? -1 : 1);
}

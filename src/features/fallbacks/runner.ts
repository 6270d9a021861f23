import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { PendingRequest } from '../../messages/accept/accept-store.js';
import type { SendRequest } from '../../messages/compose/send-request.js';
import { OPTED_OUT, OPTED_OUT_MESSAGE } from '../../messages/send/opted-out.js';
import { AppError } from '../../platform/errors.js';
import { inTransaction } from '../../platform/store/pool.js';
import type { Deps } from '../../process/deps.js';
import {
  type DueFallback,
  postponeFallback,
  type SettledFallback,
  settleFallbacks,
  takeFallbacks,
} from './fallback-store.js';

/** Fallbacks that one transaction makes: meanwhile it holds the locks of their accounts, which others send from. */
const BATCH_FALLBACKS = 100;
const LOOK_EVERY_MS = 500;
/** Looks at one fallback that may fail, over about a quarter of an hour. */
const MOST_FAILURES = 10;

export type FallbackRunnerDeps = Pick<Deps, 'pool' | 'log' | 'faults' | 'acceptor' | 'carriers'>;

/**
 * Makes the SMS of WhatsApp messages that finally failed. The SMS, its debit and the note of it are committed together,
 * so whatever dies, there is one. Any number of processes may run one.
 */
export class FallbackRunner {
  readonly #deps: FallbackRunnerDeps;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(deps: FallbackRunnerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running = this.#loop();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let more = false;
      try {
        more = (await this.look()) === BATCH_FALLBACKS;
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'fallbacks could not be looked for');
      }
      if (!more) await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Makes what is due now, up to a batch. Resolves to how many it took. */
  async look(): Promise<number> {
    const taken: string[] = [];
    try {
      await this.#work(BATCH_FALLBACKS, null, taken);
    } catch (error) {
      if (taken.length === 0) throw error;
      this.#deps.log.warn({ err: error, fallbacks: taken.length }, 'fallbacks failed together; trying each alone');
      for (const messageId of taken) await this.#workAlone(messageId);
    }
    return taken.length;
  }

  async #workAlone(messageId: string): Promise<void> {
    try {
      await this.#work(1, messageId, []);
    } catch (error) {
      this.#deps.log.warn({ err: error, messageId }, 'a fallback could not be made');
      await postponeFallback(this.#deps.pool, messageId, MOST_FAILURES);
    }
  }

  /** @param taken told of the messages whose fallbacks it took, also when it then fails */
  async #work(limit: number, messageId: string | null, taken: string[]): Promise<void> {
    const { pool, log, faults, acceptor } = this.#deps;
    const accepted = await inTransaction(pool, async (client) => {
      const due = await takeFallbacks(client, limit, messageId);
      if (due.length === 0) return [];
      taken.push(...due.map((fallback) => fallback.messageId));
      const { settled, pending } = await this.#commit(client, due);
      await settleFallbacks(client, settled);
      await faults.hit('fallback:before-commit');
      for (const { messageId: id, smsId, errorCode } of settled) {
        if (!smsId) log.info({ messageId: id, code: errorCode }, 'a fallback was refused');
      }
      return pending;
    });
    if (accepted.length === 0) return;
    await faults.hit('fallback:committed');
    acceptor.announce(accepted);
  }

  async #commit(
    client: pg.PoolClient,
    due: readonly DueFallback[],
  ): Promise<{ settled: SettledFallback[]; pending: PendingRequest[] }> {
    const settled: SettledFallback[] = [];
    const prepared: { messageId: string; pending: PendingRequest }[] = [];
    for (const fallback of due) {
      const { messageId } = fallback;
      if (fallback.accountId === null) settled.push(refused(messageId, 'NOT_FOUND', 'The message was deleted.'));
      else if (fallback.optedOut) settled.push(refused(messageId, OPTED_OUT, OPTED_OUT_MESSAGE));
      else {
        try {
          prepared.push({ messageId, pending: await this.#deps.acceptor.prepare(this.#request(fallback)) });
        } catch (error) {
          // The limits may have changed since the request was checked.
          if (!(error instanceof AppError) || error.status >= 500) throw error;
          settled.push(refused(messageId, error.code, error.message));
        }
      }
    }
    const pending: PendingRequest[] = [];
    const batch = prepared.map((each) => each.pending);
    const outcomes = batch.length > 0 ? await this.#deps.acceptor.commitWithin(client, batch) : [];
    for (const [index, each] of prepared.entries()) {
      let outcome = outcomes[index];
      // The account could not pay for all of its fallbacks at once: each is tried alone, in order.
      if (outcome === 'unfunded' && batch.length > 1) {
        [outcome] = await this.#deps.acceptor.commitWithin(client, [each.pending]);
      }
      if (outcome === 'accepted') {
        pending.push(each.pending);
        const smsId = each.pending.ids[0] as string;
        settled.push({ messageId: each.messageId, smsId, errorCode: null, errorMessage: null });
      } else {
        const why = 'The balance of the account was too low for the SMS.';
        settled.push(refused(each.messageId, 'INSUFFICIENT_BALANCE', why));
      }
    }
    return { settled, pending };
  }

  #request(due: DueFallback): SendRequest {
    const { accountId, currency, rateCardId, fallback, recipient, recipientPlus, body, priority } = due;
    return {
      account: { id: accountId as string, currency, rateCardId },
      surface: 'a',
      kind: 'sms',
      sender: fallback.from,
      recipients: [{ digits: recipient, plus: recipientPlus }],
      body: fallback.message ?? body,
      content: null,
      priority,
      channelId: null,
      carrier: this.#deps.carriers.smsCarrierName(),
      validitySeconds: fallback.validitySeconds,
      idempotencyKey: null,
    };
  }
}

function refused(messageId: string, errorCode: string, errorMessage: string): SettledFallback {
  return { messageId, smsId: null, errorCode, errorMessage };
}

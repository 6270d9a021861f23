import type pg from 'pg';
import { withKey } from '../../accounts/guard/guard.js';
import { AccountLocked } from '../../accounts/held-accounts.js';
import { smsNumberOf } from '../../carriers/numbers/whatsapp-numbers.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { Acceptor } from '../../messages/accept/acceptor.js';
import { carriedOf } from '../../messages/accept/message-columns.js';
import type { PendingRequest } from '../../messages/accept/pending-request.js';
import type { AcceptingTransaction } from '../../messages/accept/within.js';
import type { SendRequest } from '../../messages/compose/send-request.js';
import { OPTED_OUT, OPTED_OUT_MESSAGE } from '../../messages/send/checks/opted-out.js';
import { BackgroundWork, type KeyedWorkOptions } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { FaultPoints } from '../../platform/faults.js';
import {
  type DueFallback,
  delayFallback,
  postponeFallback,
  type SettledFallback,
  settleFallbacks,
  takeFallbacks,
} from './fallback-store.js';

/** Fallbacks that one transaction makes, under the locks of their accounts, which others send from. */
const BATCH_FALLBACKS = 100;
const LOOK_EVERY_MS = 500;
/** Looks at one fallback that may fail, over about a quarter of an hour. */
const MAX_FAILURES = 10;

export interface FallbackRunnerOptions extends KeyedWorkOptions {
  clock: Clock;
  faults: FaultPoints;
  acceptor: Acceptor;
  carriers: Pick<CarrierRegistry, 'smsCarrierName'>;
}

/**
 * Makes the SMS of WhatsApp messages that finally failed. The SMS, its debit and the note of it are committed together,
 * so whatever dies, there is one. Any number of processes may run one.
 */
export class FallbackRunner extends BackgroundWork<FallbackRunnerOptions> {
  constructor(options: FallbackRunnerOptions) {
    super(options, { everyMs: LOOK_EVERY_MS, failure: 'fallbacks could not be looked for' });
  }

  protected override async look(): Promise<number> {
    return (await this.#makeDue()) === BATCH_FALLBACKS ? 0 : LOOK_EVERY_MS;
  }

  /** Makes what is due now, up to a batch. Resolves to how many it took. */
  async #makeDue(): Promise<number> {
    const taken: string[] = [];
    try {
      await this.#work(BATCH_FALLBACKS, null, taken);
    } catch (error) {
      if (taken.length === 0) throw error;
      if (!(error instanceof AccountLocked)) {
        this.options.log.warn({ err: error, fallbacks: taken.length }, 'fallbacks failed together; trying each alone');
      }
      for (const messageId of taken) await this.#workAlone(messageId);
    }
    return taken.length;
  }

  async #workAlone(messageId: string): Promise<void> {
    try {
      await this.#work(1, messageId, []);
    } catch (error) {
      if (error instanceof AccountLocked) return delayFallback(this.options.pool, messageId);
      this.options.log.warn({ err: error, messageId }, 'a fallback could not be made');
      await postponeFallback(this.options.pool, messageId, MAX_FAILURES);
    }
  }

  /** @param taken told of the messages whose fallbacks it took, also when it then fails */
  async #work(limit: number, messageId: string | null, taken: string[]): Promise<void> {
    const { pool, log, faults, acceptor } = this.options;
    const plan = {
      take: async (client: pg.PoolClient) => {
        const due = await takeFallbacks(client, limit, messageId);
        taken.push(...due.map((fallback) => fallback.messageId));
        return due;
      },
      payers: payersOf,
      faultPoint: 'fallback:committed',
      isBackground: true,
    };
    await acceptor.within(pool, plan, async (transaction, due) => {
      if (due.length === 0) return;
      const settled = await this.#commit(transaction, due);
      await settleFallbacks(transaction.client, settled);
      await faults.hit('fallback:before-commit');
      for (const { messageId: id, smsId, errorCode } of settled) {
        if (!smsId) log.info({ messageId: id, code: errorCode }, 'a fallback was refused');
      }
    });
  }

  async #commit(transaction: AcceptingTransaction, due: readonly DueFallback[]): Promise<SettledFallback[]> {
    const settled: SettledFallback[] = [];
    const prepared: { messageId: string; pending: PendingRequest }[] = [];
    for (const fallback of due) {
      const { messageId } = fallback;
      const codeSeconds = this.#secondsOfCode(fallback);
      if (fallback.accountId === null) settled.push(refused(messageId, 'NOT_FOUND', 'The message was deleted.'));
      else if (fallback.isDelivered) settled.push(refused(messageId, DELIVERED, DELIVERED_MESSAGE));
      else if (fallback.optedOut) settled.push(refused(messageId, OPTED_OUT, OPTED_OUT_MESSAGE));
      else if (fallback.number === null) settled.push(refused(messageId, NO_NUMBER, NO_NUMBER_MESSAGE));
      else if (codeSeconds === 0) settled.push(refused(messageId, 'EXPIRED', CODE_IS_OVER));
      else {
        try {
          prepared.push({ messageId, pending: await transaction.prepare(this.#request(fallback, codeSeconds)) });
        } catch (error) {
          // The limits may have changed since the request was checked.
          if (!(error instanceof AppError) || error.status >= 500) throw error;
          settled.push(refused(messageId, error.code, error.message));
        }
      }
    }
    const batch = prepared.map((each) => each.pending);
    const outcomes = await transaction.commit(batch);
    for (const [index, each] of prepared.entries()) {
      let outcome = outcomes[index];
      // The account could not pay for all of its fallbacks at once: each is tried alone, in order.
      if (outcome === 'unfunded' && batch.length > 1) {
        [outcome] = await transaction.commit([each.pending]);
      }
      if (outcome === 'accepted') {
        const smsId = each.pending.ids[0] as string;
        settled.push({ messageId: each.messageId, smsId, errorCode: null, errorMessage: null });
      } else if (outcome instanceof AppError) {
        settled.push(refused(each.messageId, outcome.code, outcome.message));
      } else {
        const why = 'The balance of the account was too low for the SMS.';
        settled.push(refused(each.messageId, 'INSUFFICIENT_BALANCE', why));
      }
    }
    return settled;
  }

  /** Whole seconds for which a sign-in code still lives; null of a message that carries none. */
  #secondsOfCode({ codeEndsAt }: DueFallback): number | null {
    if (codeEndsAt === null) return null;
    return Math.max(0, Math.floor((codeEndsAt.getTime() - this.options.clock.now().getTime()) / 1000));
  }

  #request(due: DueFallback, codeSeconds: number | null): SendRequest {
    const { accountId, currency, rateCardId, spendGuard, fallback } = due;
    const account = { id: accountId as string, currency, rateCardId, spendGuard };
    const carried = carriedOf(due);
    return {
      ...carried,
      recipients: carried.recipients.map((each) => ({ ...each, digits: smsNumberOf(due.number ?? each.digits) })),
      account: due.key_id === null ? account : withKey(account, due.key_id, due.keyGuard),
      surface: 'a',
      kind: 'sms',
      sender: fallback.from,
      body: fallback.message ?? carried.body,
      content: null,
      channelId: null,
      carrier: this.options.carriers.smsCarrierName(),
      // A telephone that is off shall not get a code that is good for nothing any more.
      validitySeconds: codeSeconds ?? fallback.validitySeconds,
      idempotencyKey: null,
    };
  }
}

/** Error code of a fallback that is no longer needed. */
const DELIVERED = 'DELIVERED';
const DELIVERED_MESSAGE = 'The WhatsApp message was delivered after its carrier had reported a failure.';

const CODE_IS_OVER = 'The life of the sign-in code was over.';

/** Error code of a fallback for somebody who was written to without a number. */
const NO_NUMBER = 'NO_NUMBER';
const NO_NUMBER_MESSAGE = 'The number of the recipient is not known.';

/** The accounts of fallbacks for which an SMS may be made. */
function payersOf(due: readonly DueFallback[]): string[] {
  return due.flatMap(({ accountId, optedOut, isDelivered }) =>
    accountId === null || optedOut || isDelivered ? [] : [accountId],
  );
}

function refused(messageId: string, errorCode: string, errorMessage: string): SettledFallback {
  return { messageId, smsId: null, errorCode, errorMessage };
}

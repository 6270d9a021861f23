import type pg from 'pg';
import { withKey } from '../../accounts/guard/guard.js';
import { AccountLocked } from '../../accounts/locked-accounts.js';
import type { FailureCode } from '../../carriers/failure-codes.js';
import { toSmsNumber } from '../../carriers/numbers/whatsapp-numbers.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { AcceptingTransaction } from '../../messages/accept/accept-within.js';
import type { Acceptor } from '../../messages/accept/acceptor.js';
import { readCarried } from '../../messages/accept/message-columns.js';
import type { PendingRequest } from '../../messages/accept/pending-request.js';
import type { SendRequest } from '../../messages/compose/send-request.js';
import { OPTED_OUT, OPTED_OUT_MESSAGE } from '../../messages/send/checks/opted-out.js';
import { type BackgroundStoreOptions, BackgroundWork } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { AppError, type ErrorCode } from '../../platform/errors/app-error.js';
import type { FaultPoints } from '../../platform/faults.js';
import {
  claimFallbacks,
  type DueFallback,
  delayFallback,
  postponeFallback,
  type SettledFallback,
  settleFallbacks,
} from './fallback-store.js';

/** A larger batch would delay other sends, because its transaction locks the accounts of all its fallbacks. */
const BATCH_FALLBACKS = 100;
const POLL_INTERVAL_MS = 500;
/** With doubling delays, ten attempts take about 9 minutes. */
const MAX_FAILURES = 10;

export interface FallbackRunnerOptions extends BackgroundStoreOptions {
  clock: Clock;
  faults: FaultPoints;
  acceptor: Acceptor;
  carriers: Pick<CarrierRegistry, 'getSmsCarrierName'>;
}

/**
 * Sends the SMS fallbacks of WhatsApp messages that failed permanently. The SMS, its debit and the result commit
 * together, so each fallback is sent once even if the process dies.
 */
export class FallbackRunner extends BackgroundWork<FallbackRunnerOptions> {
  constructor(options: FallbackRunnerOptions) {
    super(options, { everyMs: POLL_INTERVAL_MS, failure: 'could not claim fallbacks' });
  }

  protected override async poll(): Promise<number> {
    return (await this.#processBatch()) === BATCH_FALLBACKS ? 0 : POLL_INTERVAL_MS;
  }

  async #processBatch(): Promise<number> {
    const claimedIds: string[] = [];
    try {
      await this.#process(BATCH_FALLBACKS, null, claimedIds);
    } catch (error) {
      if (claimedIds.length === 0) throw error;
      if (!(error instanceof AccountLocked)) {
        this.options.log.warn(
          { err: error, fallbacks: claimedIds.length },
          'a batch of fallbacks failed; trying each alone',
        );
      }
      for (const messageId of claimedIds) await this.#processAlone(messageId);
    }
    return claimedIds.length;
  }

  async #processAlone(messageId: string): Promise<void> {
    try {
      await this.#process(1, messageId, []);
    } catch (error) {
      if (error instanceof AccountLocked) return delayFallback(this.options.pool, messageId);
      this.options.log.warn({ err: error, messageId }, 'could not create the SMS of a fallback');
      await postponeFallback(this.options.pool, messageId, MAX_FAILURES);
    }
  }

  /** Adds the IDs of claimed fallbacks to `claimedIds`, even if processing them fails. */
  async #process(limit: number, messageId: string | null, claimedIds: string[]): Promise<void> {
    const { pool, log, faults, acceptor } = this.options;
    const plan = {
      claim: async (client: pg.PoolClient) => {
        const fallbacks = await claimFallbacks(client, limit, messageId);
        claimedIds.push(...fallbacks.map((fallback) => fallback.messageId));
        return fallbacks;
      },
      listPayers: findPayers,
      faultPoint: 'fallback:committed',
      isBackground: true,
    };
    await acceptor.acceptWithin(pool, plan, async (transaction, fallbacks) => {
      if (fallbacks.length === 0) return;
      const settled = await this.#commit(transaction, fallbacks);
      await settleFallbacks(transaction.client, settled);
      await faults.hit('fallback:before-commit');
      for (const { messageId: id, smsId, errorCode } of settled) {
        if (!smsId) log.info({ messageId: id, code: errorCode }, 'a fallback was refused');
      }
    });
  }

  async #commit(transaction: AcceptingTransaction, fallbacks: readonly DueFallback[]): Promise<SettledFallback[]> {
    const settled: SettledFallback[] = [];
    const preparedSends: { messageId: string; pending: PendingRequest }[] = [];
    for (const fallback of fallbacks) {
      const { messageId } = fallback;
      const codeSeconds = this.#codeSecondsLeft(fallback);
      if (fallback.accountId === null) settled.push(createRefusal(messageId, 'NOT_FOUND', 'The message was deleted.'));
      else if (fallback.isDelivered) settled.push(createRefusal(messageId, DELIVERED, DELIVERED_MESSAGE));
      else if (fallback.optedOut) settled.push(createRefusal(messageId, OPTED_OUT, OPTED_OUT_MESSAGE));
      else if (fallback.number === null) settled.push(createRefusal(messageId, NO_NUMBER, NO_NUMBER_MESSAGE));
      else if (codeSeconds === 0) settled.push(createRefusal(messageId, 'EXPIRED', CODE_EXPIRED_MESSAGE));
      else {
        try {
          preparedSends.push({
            messageId,
            pending: await transaction.prepare(this.#toSmsRequest(fallback, codeSeconds)),
          });
        } catch (error) {
          // The account's limits may have changed since the WhatsApp message was accepted.
          if (!(error instanceof AppError) || error.status >= 500) throw error;
          settled.push(createRefusal(messageId, error.code, error.message));
        }
      }
    }
    const batch = preparedSends.map((each) => each.pending);
    const outcomes = await transaction.commit(batch);
    for (const [index, each] of preparedSends.entries()) {
      let outcome = outcomes[index];
      // If the account cannot pay for the whole batch, the messages are tried one by one, in order.
      if (outcome === 'unfunded' && batch.length > 1) {
        [outcome] = await transaction.commit([each.pending]);
      }
      if (outcome === 'accepted') {
        const smsId = each.pending.ids[0] as string;
        settled.push({ messageId: each.messageId, smsId, errorCode: null, errorMessage: null });
      } else if (outcome instanceof AppError) {
        settled.push(createRefusal(each.messageId, outcome.code, outcome.message));
      } else {
        const reason = 'The balance of the account was too low for the SMS.';
        settled.push(createRefusal(each.messageId, 'INSUFFICIENT_BALANCE', reason));
      }
    }
    return settled;
  }

  #codeSecondsLeft({ codeEndsAt }: DueFallback): number | null {
    if (codeEndsAt === null) return null;
    return Math.max(0, Math.floor((codeEndsAt.getTime() - this.options.clock.now().getTime()) / 1000));
  }

  #toSmsRequest(claimed: DueFallback, codeSeconds: number | null): SendRequest {
    const { accountId, currency, rateCardId, spendGuard, frequencyCap, fallback } = claimed;
    const account = { id: accountId as string, currency, rateCardId, spendGuard, frequencyCap };
    const carried = readCarried(claimed);
    return {
      ...carried,
      recipients: carried.recipients.map((each) => ({ ...each, digits: toSmsNumber(claimed.number ?? each.digits) })),
      account: claimed.key_id === null ? account : withKey(account, claimed.key_id, claimed.keyGuard),
      surface: 'a',
      kind: 'sms',
      sender: fallback.from,
      body: fallback.message ?? carried.body,
      content: null,
      channelId: null,
      carrier: this.options.carriers.getSmsCarrierName(),
      // An expired sign-in code must not reach a phone that was switched off.
      validitySeconds: codeSeconds ?? fallback.validitySeconds,
      idempotencyKey: null,
    };
  }
}

const DELIVERED = 'DELIVERED';
const DELIVERED_MESSAGE = 'The WhatsApp message was delivered after its carrier had reported a failure.';

const CODE_EXPIRED_MESSAGE = 'The sign-in code had expired.';

const NO_NUMBER = 'NO_NUMBER';
const NO_NUMBER_MESSAGE = 'The number of the recipient is not known.';

function findPayers(fallbacks: readonly DueFallback[]): string[] {
  return fallbacks.flatMap(({ accountId, optedOut, isDelivered }) =>
    accountId === null || optedOut || isDelivered ? [] : [accountId],
  );
}

function createRefusal(messageId: string, errorCode: FailureCode | ErrorCode, errorMessage: string): SettledFallback {
  return { messageId, smsId: null, errorCode, errorMessage };
}

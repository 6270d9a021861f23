import { randomInt } from 'node:crypto';
import type pg from 'pg';
import type { AccountRef } from '../../accounts/account-ref.js';
import { resultWasDeleted } from '../../accounts/idempotency/idempotency.js';
import { insufficientBalance } from '../../accounts/insufficient-balance.js';
import { findBalance } from '../../accounts/ledger-store.js';
import { callingCodeOf } from '../../carriers/numbers/phone-numbers.js';
import type { Acceptor } from '../../messages/accept/acceptor.js';
import type { AcceptingTransaction } from '../../messages/accept/within.js';
import { type CodeSeal, withMask } from '../../messages/codes/code-seal.js';
import type { SendRequest } from '../../messages/compose/send-request.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import { newId } from '../../platform/ids.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { LIFE_SECONDS, MOST_CHECKS, MOST_SENDS, oneMore } from './limits.js';
import { type CodeOfService, endCode, recipientOfPending } from './services/service-codes-store.js';
import { VerificationTally } from './tally.js';
import {
  confirmOfMessage,
  countCheck,
  countSend,
  findLive,
  findOfMessage,
  insertVerification,
  lockOrMakeRecipient,
  lockRecipient,
  noteAsked,
  type RecipientRow,
  type VerificationRow,
} from './verification-store.js';

export interface VerificationsOptions {
  pool: pg.Pool;
  clock: Clock;
  acceptor: Acceptor;
  codes: CodeSeal;
}

export interface SentCode {
  id: string;
  expiresAt: Date;
  /** Of this code, this one among them. */
  sends: number;
  messageId: string;
  replayed: boolean;
}

export interface CheckedCode {
  id: string;
  isRight: boolean;
  expiresAt: Date;
  checksLeft: number;
}

/** A code that may be sent. */
type LiveCode = Pick<VerificationRow, 'id' | 'expiresAt' | 'digits'>;
/** Finds the code that is to be sent, or makes it, while its recipient is locked. */
type MakeCode = (client: pg.PoolClient, to: string, now: Date) => Promise<LiveCode>;

interface Kept {
  accountId: string;
  to: string;
  now: Date;
  serviceId: string | null;
  secret: string;
  isChecked: boolean;
}

/** Sign-in codes: sent, and checked once. All requests for one recipient of an account go one after the other. */
export class Verifications {
  /** Of what was sent and checked by this process. */
  readonly tally = new VerificationTally();
  readonly #options: VerificationsOptions;

  constructor(options: VerificationsOptions) {
    this.#options = options;
  }

  /**
   * Sends a code, that of before while it lives. The limit, the code, the debit and the message are one commit.
   * @param request to one recipient, with the mask of `digits` in the place of the code
   * @param digits of a new code
   * @param serviceId whose codes have nothing to do with those of others
   * @throws {AppError} CONFLICT where the server has no secret, or what an idempotency key made was deleted; RATE_LIMITED; and as
   * accepting does
   */
  send(request: SendRequest, digits: number, serviceId: string | null = null): Promise<SentCode> {
    return this.#accept('sent', request, digits, async (client, to, now) => {
      // What has less than a second left cannot be sent in time.
      const known = await findLive(client, request.account.id, to, new Date(now.getTime() + 1000), serviceId);
      if (known) return known;
      const code = String(randomInt(10 ** digits)).padStart(digits, '0');
      return this.#keep(client, { accountId: request.account.id, to, now, serviceId, secret: code, isChecked: true });
    });
  }

  /**
   * Sends what a login system made and checks itself: a code, or a whole text with one. It is kept sealed, as those made here,
   * and no longer; each is a send of its own.
   * @param request to one recipient, with the mask of `secret` in its place
   * @throws {AppError} as `send`
   */
  passOn(request: SendRequest, secret: string, serviceId: string): Promise<SentCode> {
    return this.#accept('passed_on', request, secret.length, (client, to, now) =>
      this.#keep(client, { accountId: request.account.id, to, now, serviceId, secret, isChecked: false }),
    );
  }

  async #accept(
    step: 'sent' | 'passed_on',
    request: SendRequest,
    digits: number,
    make: MakeCode,
    isSecond = false,
  ): Promise<SentCode> {
    this.#needKey();
    const { account, idempotencyKey } = request;
    const earlier = idempotencyKey && (await this.#replay(request));
    if (earlier) return earlier;
    const [recipient] = request.recipients;
    const to = recipient?.digits as string;
    try {
      const sent = await this.#options.acceptor.within(
        this.#options.pool,
        {
          take: (client) => lockOrMakeRecipient(client, account.id, to, this.#options.clock.now()),
          payers: () => [account.id],
        },
        (transaction, asked) => this.#sendTo(transaction, request, to, asked, digits, make),
      );
      this.tally.add(step, callingCode(to));
      return sent;
    } catch (error) {
      // Of requests at once with one key, the first may have taken the last place of a limit.
      const replay = idempotencyKey && isRefused(error) ? await this.#replay(request) : null;
      if (replay) return replay;
      if (!(error instanceof RefusedError)) throw error;
      if (error.outcome === 'conflict') {
        if (isSecond) throw resultWasDeleted();
        // The key's row expired between the two looks; or it stands, and what it made was deleted.
        return await this.#accept(step, request, digits, make, true);
      }
      const availableMicros = await findBalance(this.#options.pool, account.id);
      throw insufficientBalance({ neededMicros: error.charge, availableMicros, currency: account.currency });
    }
  }

  async #sendTo(
    { client, prepare, commit }: AcceptingTransaction,
    request: SendRequest,
    to: string,
    asked: RecipientRow,
    digits: number,
    make: MakeCode,
  ): Promise<SentCode> {
    const accountId = request.account.id;
    const now = this.#options.clock.now();
    const sends = oneMore(asked.sends, now, MOST_SENDS, 'codes');
    const live = await make(client, to, now);
    const validitySeconds = Math.floor((live.expiresAt.getTime() - now.getTime()) / 1000);
    const pending = await prepare({
      ...request,
      ...withMask(request, digits, live.digits),
      validitySeconds,
      verificationId: live.id,
    });
    const [outcome] = await commit([pending]);
    if (outcome instanceof AppError) throw outcome;
    if (outcome !== 'accepted') throw new RefusedError(outcome ?? 'conflict', pending.charge);
    await noteAsked(client, accountId, to, { ...asked, sends }, now);
    const count = await countSend(client, live.id, now);
    return { ...live, sends: count, messageId: pending.ids[0] as string, replayed: false };
  }

  async #keep(client: pg.PoolClient, { accountId, to, now, serviceId, secret, isChecked }: Kept): Promise<LiveCode> {
    const id = newId();
    const expiresAt = new Date(now.getTime() + LIFE_SECONDS * 1000);
    const { sealed, hash } = this.#options.codes.keep(secret, id);
    const verification = { id, accountId, recipient: to, callingCode: callingCode(to), createdAt: now, expiresAt };
    const digits = secret.length;
    await insertVerification(client, { ...verification, digits, hash: isChecked ? hash : null, sealed, serviceId });
    return { id, expiresAt, digits };
  }

  async #replay({ account, idempotencyKey }: SendRequest): Promise<SentCode | null> {
    if (!idempotencyKey) return null;
    const accepted = await this.#options.acceptor.replay(account, idempotencyKey);
    const messageId = accepted?.messages[0]?.id;
    if (messageId === undefined) return null;
    const verification = await findOfMessage(this.#options.pool, account.id, messageId);
    return verification && { ...verification, messageId, replayed: true };
  }

  /** What a login system sent by a message was right, as it says itself. A code that was made here is right by being checked alone. */
  async confirm(accountId: string, messageId: string): Promise<void> {
    const { pool, clock } = this.#options;
    const confirmed = await confirmOfMessage(pool, accountId, messageId, clock.now());
    if (confirmed !== null) this.tally.add('approved', confirmed);
  }

  /**
   * Checks a code. The right one is right once.
   * @throws {AppError} NOT_FOUND where the recipient has no code of the service that lives; RATE_LIMITED; CONFLICT as `send`
   */
  async check(
    { id: accountId }: AccountRef,
    to: string,
    code: string,
    serviceId: string | null = null,
  ): Promise<CheckedCode> {
    this.#needKey();
    const { pool, clock, codes } = this.#options;
    const checked = await inTransaction(pool, async (client): Promise<CheckedCode | null> => {
      const asked = await lockRecipient(client, accountId, to);
      const now = clock.now();
      const live = asked && (await findLive(client, accountId, to, now, serviceId));
      if (!asked || !live) return null;
      const checks = oneMore(asked.checks, now, MOST_CHECKS, 'checks');
      const isRight = codes.matches(code, live.id, live.codeHash);
      await noteAsked(client, accountId, to, { ...asked, checks }, now);
      await countCheck(client, live.id, isRight, now);
      return { id: live.id, isRight, expiresAt: live.expiresAt, checksLeft: MOST_CHECKS - checks.length };
    });
    if (!checked) throw new AppError('NOT_FOUND', 'The recipient has no code that can be checked.');
    this.tally.add('checked', callingCode(to));
    if (checked.isRight) this.tally.add('approved', callingCode(to));
    return checked;
  }

  /**
   * Ends a code of a service that lives: who asks has checked it by other means, or wants it no more.
   * @returns whether there was one
   */
  async end(which: CodeOfService, status: 'approved' | 'canceled'): Promise<boolean> {
    const { pool, clock } = this.#options;
    const recipient = await recipientOfPending(pool, which, clock.now());
    if (recipient === null) return false;
    const ended = await inTransaction(pool, async (client) => {
      await lockRecipient(client, which.accountId, recipient);
      return endCode(client, which, status, clock.now());
    });
    if (ended && status === 'approved') this.tally.add('approved', callingCode(recipient));
    return ended;
  }

  #needKey(): void {
    if (this.#options.codes.hasKey) return;
    throw new AppError('CONFLICT', 'Sign-in codes are off: the operator of this server sets VERIFICATION_SECRET.');
  }
}

/** Nothing was accepted, so that everything is rolled back. */
class RefusedError extends Error {
  constructor(
    readonly outcome: string,
    readonly charge: bigint,
  ) {
    super('the code was not accepted');
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof RefusedError || (error instanceof AppError && error.code !== 'UNAVAILABLE');
}

const callingCode = (to: string) => callingCodeOf(to) ?? '';

import { randomInt } from 'node:crypto';
import type pg from 'pg';
import type { AccountRef } from '../../accounts/account-ref.js';
import { createDeletedResultError } from '../../accounts/idempotency/idempotency.js';
import { createBalanceError } from '../../accounts/insufficient-balance.js';
import { findBalance } from '../../accounts/ledger-store.js';
import { findCallingCode } from '../../carriers/numbers/phone-numbers.js';
import type { AcceptingTransaction } from '../../messages/accept/accept-within.js';
import type { Acceptor } from '../../messages/accept/acceptor.js';
import type { SendRequest } from '../../messages/compose/send-request.js';
import { type CodeSeal, resizeMask } from '../../messages/sign-in-codes/code-seal.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import { newId } from '../../platform/ids.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { addWithinLimit, CODE_LIFETIME_SECONDS, MAX_CHECKS, MAX_SENDS } from './limits.js';
import { endCode, findPendingRecipient, type ServiceCodeRef } from './services/service-codes-store.js';
import { VerificationTally } from './tally.js';
import {
  confirmByMessage,
  countCheck,
  countSend,
  createAndLockRecipient,
  findByMessage,
  findLiveVerification,
  insertVerification,
  lockRecipient,
  type RecipientRow,
  updateRecipient,
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
  /** Includes this send. */
  sends: number;
  messageId: string;
  replayed: boolean;
}

export interface CheckedCode {
  id: string;
  isCorrect: boolean;
  expiresAt: Date;
  checksLeft: number;
}

type LiveCode = Pick<VerificationRow, 'id' | 'expiresAt' | 'digits'>;
type CodeProvider = (client: pg.PoolClient, to: string, now: Date) => Promise<LiveCode>;

interface NewCode {
  accountId: string;
  to: string;
  now: Date;
  serviceId: string | null;
  secret: string;
  isChecked: boolean;
}

/** Requests of an account for the same recipient run one after the other. */
export class Verifications {
  /** Counts of this process. */
  readonly tally = new VerificationTally();
  readonly #options: VerificationsOptions;

  constructor(options: VerificationsOptions) {
    this.#options = options;
  }

  /**
   * Sends a new code, or the previous code again while that code is live. The send limit, code, debit and message
   * commit together. `request` must have one recipient, and a mask of `digits` characters in place of the code.
   * @throws {AppError} CONFLICT without a server secret; RATE_LIMITED; otherwise the errors of `Acceptor.accept`
   */
  send(request: SendRequest, digits: number, serviceId: string | null = null): Promise<SentCode> {
    return this.#accept('sent', request, digits, async (client, to, now) => {
      // A code that is valid for less than another second would expire before it is sent.
      const liveCode = await findLiveVerification(
        client,
        request.account.id,
        to,
        new Date(now.getTime() + 1000),
        serviceId,
      );
      if (liveCode) return liveCode;
      const code = String(randomInt(10 ** digits)).padStart(digits, '0');
      return this.#storeCode(client, {
        accountId: request.account.id,
        to,
        now,
        serviceId,
        secret: code,
        isChecked: true,
      });
    });
  }

  /**
   * Sends a code, or a text with a code, that a login system created and checks. Each call counts as a separate code.
   * `request` must have one recipient, and a mask in place of `secret`.
   * @throws {AppError} As `send`.
   */
  passOn(request: SendRequest, secret: string, serviceId: string): Promise<SentCode> {
    return this.#accept('passed_on', request, secret.length, (client, to, now) =>
      this.#storeCode(client, { accountId: request.account.id, to, now, serviceId, secret, isChecked: false }),
    );
  }

  async #accept(
    step: 'sent' | 'passed_on',
    request: SendRequest,
    digits: number,
    provideCode: CodeProvider,
    isRetry = false,
  ): Promise<SentCode> {
    this.#requireSecret();
    const { account, idempotencyKey } = request;
    const replay = idempotencyKey && (await this.#replay(request));
    if (replay) return replay;
    const [recipient] = request.recipients;
    const to = recipient?.digits as string;
    try {
      const sentCode = await this.#options.acceptor.acceptWithin(
        this.#options.pool,
        {
          claim: (client) => createAndLockRecipient(client, account.id, to, this.#options.clock.now()),
          listPayers: () => [account.id],
        },
        (transaction, recent) => this.#sendTo(transaction, request, to, recent, digits, provideCode),
      );
      this.tally.add(step, getCallingCode(to));
      return sentCode;
    } catch (error) {
      // The first of several concurrent requests with the same idempotency key may have used up the limit.
      const concurrentReplay = idempotencyKey && isRefused(error) ? await this.#replay(request) : null;
      if (concurrentReplay) return concurrentReplay;
      if (!(error instanceof RefusedError)) throw error;
      if (error.outcome === 'conflict') {
        if (isRetry) throw createDeletedResultError();
        // Either the idempotency key expired between two lookups, or its result was deleted.
        return await this.#accept(step, request, digits, provideCode, true);
      }
      const availableMicros = await findBalance(this.#options.pool, account.id);
      throw createBalanceError({ neededMicros: error.charge, availableMicros, currency: account.currency });
    }
  }

  async #sendTo(
    { client, prepare, commit }: AcceptingTransaction,
    request: SendRequest,
    to: string,
    recent: RecipientRow,
    digits: number,
    provideCode: CodeProvider,
  ): Promise<SentCode> {
    const accountId = request.account.id;
    const now = this.#options.clock.now();
    const sends = addWithinLimit(recent.sends, now, MAX_SENDS, 'codes');
    const liveCode = await provideCode(client, to, now);
    const validitySeconds = Math.floor((liveCode.expiresAt.getTime() - now.getTime()) / 1000);
    const pending = await prepare({
      ...request,
      ...resizeMask(request, digits, liveCode.digits),
      validitySeconds,
      verificationId: liveCode.id,
      purpose: 'verification',
    });
    const [outcome] = await commit([pending]);
    if (outcome instanceof AppError) throw outcome;
    if (outcome !== 'accepted') throw new RefusedError(outcome ?? 'conflict', pending.charge);
    await updateRecipient(client, accountId, to, { ...recent, sends }, now);
    const count = await countSend(client, liveCode.id, now);
    return { ...liveCode, sends: count, messageId: pending.ids[0] as string, replayed: false };
  }

  async #storeCode(
    client: pg.PoolClient,
    { accountId, to, now, serviceId, secret, isChecked }: NewCode,
  ): Promise<LiveCode> {
    const id = newId();
    const expiresAt = new Date(now.getTime() + CODE_LIFETIME_SECONDS * 1000);
    const { sealed, hash } = this.#options.codes.seal(secret, id);
    const verification = { id, accountId, recipient: to, callingCode: getCallingCode(to), createdAt: now, expiresAt };
    const digits = secret.length;
    await insertVerification(client, { ...verification, digits, hash: isChecked ? hash : null, sealed, serviceId });
    return { id, expiresAt, digits };
  }

  async #replay({ account, idempotencyKey }: SendRequest): Promise<SentCode | null> {
    if (!idempotencyKey) return null;
    const accepted = await this.#options.acceptor.replay(account, idempotencyKey);
    const messageId = accepted?.messages[0]?.id;
    if (messageId === undefined) return null;
    const verification = await findByMessage(this.#options.pool, account.id, messageId);
    return verification && { ...verification, messageId, replayed: true };
  }

  /** Has no effect on codes that Heliograph created, because those must be checked. */
  async confirm(accountId: string, messageId: string): Promise<void> {
    const { pool, clock } = this.#options;
    const confirmedCallingCode = await confirmByMessage(pool, accountId, messageId, clock.now());
    if (confirmedCallingCode !== null) this.tally.add('approved', confirmedCallingCode);
  }

  /**
   * @throws {AppError} NOT_FOUND if the recipient has no live code of the service; RATE_LIMITED; CONFLICT without a
   * server secret
   */
  async check(
    { id: accountId }: AccountRef,
    to: string,
    code: string,
    serviceId: string | null = null,
  ): Promise<CheckedCode> {
    this.#requireSecret();
    const { pool, clock, codes } = this.#options;
    const checked = await inTransaction(pool, async (client): Promise<CheckedCode | null> => {
      const recent = await lockRecipient(client, accountId, to);
      const now = clock.now();
      const liveCode = recent && (await findLiveVerification(client, accountId, to, now, serviceId));
      if (!recent || !liveCode) return null;
      const checks = addWithinLimit(recent.checks, now, MAX_CHECKS, 'checks');
      const isCorrect = codes.matches(code, liveCode.id, liveCode.codeHash);
      await updateRecipient(client, accountId, to, { ...recent, checks }, now);
      await countCheck(client, liveCode.id, isCorrect, now);
      return { id: liveCode.id, isCorrect, expiresAt: liveCode.expiresAt, checksLeft: MAX_CHECKS - checks.length };
    });
    if (!checked) throw new AppError('NOT_FOUND', 'The recipient has no code that can be checked.');
    this.tally.add('checked', getCallingCode(to));
    if (checked.isCorrect) this.tally.add('approved', getCallingCode(to));
    return checked;
  }

  async end(codeRef: ServiceCodeRef, status: 'approved' | 'canceled'): Promise<boolean> {
    const { pool, clock } = this.#options;
    const recipient = await findPendingRecipient(pool, codeRef, clock.now());
    if (recipient === null) return false;
    const hasEnded = await inTransaction(pool, async (client) => {
      await lockRecipient(client, codeRef.accountId, recipient);
      return endCode(client, codeRef, status, clock.now());
    });
    if (hasEnded && status === 'approved') this.tally.add('approved', getCallingCode(recipient));
    return hasEnded;
  }

  #requireSecret(): void {
    if (this.#options.codes.hasKey) return;
    throw new AppError(
      'CONFLICT',
      'Sign-in codes are disabled. The operator of this server must set VERIFICATION_SECRET.',
    );
  }
}

/** Thrown to roll back the transaction, because the message was not accepted. */
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

const getCallingCode = (to: string) => findCallingCode(to) ?? '';

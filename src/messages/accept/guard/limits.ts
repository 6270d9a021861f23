import type { AccountRef } from '../../../accounts/account-ref.js';
import { normalizeSenderId } from '../../../accounts/account-settings.js';
import {
  findWatch,
  getSpanEnd,
  isGuarded,
  listGuards,
  type OwnedLimit,
  type SpendLimit,
} from '../../../accounts/guard/guard.js';
import { formatMoney } from '../../../accounts/money.js';
import { findCallingCode } from '../../../carriers/numbers/phone-numbers.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PendingRequest } from '../pending-request.js';
import { isWatched } from './holds.js';

const NO_LIMITS: readonly OwnedLimit[] = [];

export function listLimits(account: AccountRef): readonly OwnedLimit[] {
  if (!isGuarded(account)) return NO_LIMITS;
  return listGuards(account).flatMap(({ keyId, guard }) => guard.limits.map((limit) => ({ ...limit, keyId })));
}

export function hasLimits(account: AccountRef): boolean {
  return listLimits(account).length > 0 || findWatch(account) !== null;
}

export interface SpendKey {
  accountId: string;
  keyId: string | null;
  scope: OwnedLimit['scope'];
  /** Recipient's digits or user ID, sender ID, or calling code; empty for a limit on all messages together. */
  subject: string;
  span: SpendLimit['span'];
  endsAt: Date;
}

export interface SpendAmount {
  messages: bigint;
  micros: bigint;
}

export const toSpendKeyText = ({ accountId, keyId, scope, subject, span, endsAt }: SpendKey): string =>
  `${accountId} ${keyId ?? ''} ${span} ${endsAt.getTime()} ${scope} ${subject}`;

export class SpendBook {
  readonly #spent = new Map<string, SpendAmount>();
  readonly #added = new Map<string, { key: SpendKey; spent: SpendAmount }>();
  readonly #now: Date;

  constructor(now: Date) {
    this.#now = now;
  }

  listKeys(batch: readonly PendingRequest[]): SpendKey[] {
    const keys = new Map<string, SpendKey>();
    for (const pending of batch) {
      for (const limit of pending.limits) {
        for (const key of this.#listLimitKeys(pending, limit)) keys.set(toSpendKeyText(key), key);
      }
    }
    return [...keys.values()];
  }

  setStored(key: SpendKey, spent: SpendAmount): void {
    this.#spent.set(toSpendKeyText(key), spent);
  }

  findOverrun(pending: PendingRequest): Overrun | null {
    for (const limit of pending.limits) {
      const exceeded = this.#computeAmounts(pending, limit).filter(({ key, amount }) => {
        const spent = this.#spent.get(toSpendKeyText(key));
        return this.#measure(limit, spent) + this.#measure(limit, amount) > BigInt(limit.most);
      });
      const [first] = exceeded;
      if (first) {
        const recipients = limit.scope === 'recipient' ? exceeded.map(({ key }) => key.subject) : [];
        return { limit, key: first.key, endsAt: first.key.endsAt, subject: first.key.subject, recipients };
      }
    }
    return null;
  }

  add(pending: PendingRequest): void {
    const counted = new Set<string>();
    for (const limit of pending.limits) {
      // If a limit on messages and a limit on money share a counter, the request must be added to the counter only once.
      const counter = `${limit.keyId} ${limit.scope} ${limit.country ?? ''} ${limit.span}`;
      if (counted.has(counter)) continue;
      counted.add(counter);
      for (const { key, amount } of this.#computeAmounts(pending, limit)) {
        const name = toSpendKeyText(key);
        this.#spent.set(name, addAmounts(this.#spent.get(name), amount));
        this.#added.set(name, { key, spent: addAmounts(this.#added.get(name)?.spent, amount) });
      }
    }
  }

  countMessages(key: SpendKey): bigint {
    return this.#spent.get(toSpendKeyText(key))?.messages ?? 0n;
  }

  get added(): readonly { key: SpendKey; spent: SpendAmount }[] {
    return [...this.#added.values()];
  }

  #measure({ measure }: OwnedLimit, spent: SpendAmount | undefined): bigint {
    return (measure === 'messages' ? spent?.messages : spent?.micros) ?? 0n;
  }

  #listLimitKeys(pending: PendingRequest, limit: OwnedLimit): SpendKey[] {
    return this.#computeAmounts(pending, limit).map(({ key }) => key);
  }

  #computeAmounts(
    { request, ids, charge, prices, watch }: PendingRequest,
    limit: OwnedLimit,
  ): { key: SpendKey; amount: SpendAmount }[] {
    const { keyId, scope, span } = limit;
    const base = { accountId: request.account.id, keyId, scope, span, endsAt: getSpanEnd(span, this.#now) };
    if (scope === 'country') {
      const subject = limit.country ?? '';
      const isInCountry = (digits: string) => isWatched(watch, digits) && findCallingCode(digits) === subject;
      const count = request.recipients.filter(({ digits }) => isInCountry(digits)).length;
      return [{ key: { ...base, subject }, amount: { messages: BigInt(count), micros: 0n } }];
    }
    if (scope !== 'recipient') {
      const subject = scope === 'total' ? '' : normalizeSenderId(request.sender);
      return [{ key: { ...base, subject }, amount: { messages: BigInt(ids.length), micros: charge } }];
    }
    const amounts = new Map<string, SpendAmount>();
    for (const [index, { digits }] of request.recipients.entries()) {
      const amount = { messages: 1n, micros: prices[index] as bigint };
      amounts.set(digits, addAmounts(amounts.get(digits), amount));
    }
    return [...amounts].map(([subject, amount]) => ({ key: { ...base, subject }, amount }));
  }
}

const addAmounts = (a: SpendAmount | undefined, b: SpendAmount): SpendAmount => ({
  messages: (a?.messages ?? 0n) + b.messages,
  micros: (a?.micros ?? 0n) + b.micros,
});

export interface Overrun {
  limit: OwnedLimit;
  key: SpendKey;
  endsAt: Date;
  subject: string;
  recipients: readonly string[];
}

export class LimitReached extends AppError {
  readonly overrun: Overrun;

  constructor(overrun: Overrun, currency: string, now: Date) {
    const { limit, endsAt } = overrun;
    const seconds = Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1000));
    super(
      'LIMIT_REACHED',
      `${describeOverrun(overrun, currency)} The ${limit.span} ends at ${endsAt.toISOString()}.`,
      fieldProblems(limit),
      {
        retryAfterSeconds: seconds,
      },
    );
    this.overrun = overrun;
  }
}

function describeOverrun({ limit, subject }: Overrun, currency: string): string {
  const most =
    limit.measure === 'messages' ? `${limit.most} messages` : `${formatMoney(BigInt(limit.most))} ${currency}`;
  const owner = limit.keyId === null ? 'The account' : 'The key';
  const target = {
    total: '',
    country: '',
    recipient: ` to one recipient (${subject})`,
    sender: ` from one sender ID (${subject})`,
  };
  return `${owner} may send ${most} each ${limit.span}${target[limit.scope]}, and this would be more.`;
}

const FIELDS = { total: null, country: 'to', recipient: 'to', sender: 'from' } as const;

function fieldProblems({ scope, span }: OwnedLimit) {
  const field = FIELDS[scope];
  return field === null ? [] : [{ field, rule: `has reached its limit for this ${span}` }];
}

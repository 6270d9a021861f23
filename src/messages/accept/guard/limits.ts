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

const NONE: readonly OwnedLimit[] = [];

export function listLimits(account: AccountRef): readonly OwnedLimit[] {
  if (!isGuarded(account)) return NONE;
  return listGuards(account).flatMap(({ keyId, guard }) => guard.limits.map((limit) => ({ ...limit, keyId })));
}

export function hasLimits(account: AccountRef): boolean {
  return listLimits(account).length > 0 || findWatch(account) !== null;
}

export interface SpendKey {
  accountId: string;
  keyId: string | null;
  scope: OwnedLimit['scope'];
  /** Recipient's digits or user ID, sender ID, or calling code. Empty if all are counted together. */
  subject: string;
  span: SpendLimit['span'];
  endsAt: Date;
}

export interface Spent {
  messages: bigint;
  micros: bigint;
}

export const spendKeyText = ({ accountId, keyId, scope, subject, span, endsAt }: SpendKey): string =>
  `${accountId} ${keyId ?? ''} ${span} ${endsAt.getTime()} ${scope} ${subject}`;

export class SpendBook {
  readonly #spent = new Map<string, Spent>();
  readonly #added = new Map<string, { key: SpendKey; spent: Spent }>();
  readonly #now: Date;

  constructor(now: Date) {
    this.#now = now;
  }

  listKeys(batch: readonly PendingRequest[]): SpendKey[] {
    const keys = new Map<string, SpendKey>();
    for (const pending of batch) {
      for (const limit of pending.limits) {
        for (const key of this.#keys(pending, limit)) keys.set(spendKeyText(key), key);
      }
    }
    return [...keys.values()];
  }

  setStored(key: SpendKey, spent: Spent): void {
    this.#spent.set(spendKeyText(key), spent);
  }

  overrun(pending: PendingRequest): Overrun | null {
    for (const limit of pending.limits) {
      const over = this.#amounts(pending, limit).filter(({ key, amount }) => {
        const spent = this.#spent.get(spendKeyText(key));
        return this.#measuredAmount(limit, spent) + this.#measuredAmount(limit, amount) > BigInt(limit.most);
      });
      const [first] = over;
      if (first) {
        const recipients = limit.scope === 'recipient' ? over.map(({ key }) => key.subject) : [];
        return { limit, key: first.key, endsAt: first.key.endsAt, subject: first.key.subject, recipients };
      }
    }
    return null;
  }

  add(pending: PendingRequest): void {
    const counted = new Set<string>();
    for (const limit of pending.limits) {
      // A limit on messages and a limit on money may share a counter.
      const counter = `${limit.keyId} ${limit.scope} ${limit.country ?? ''} ${limit.span}`;
      if (counted.has(counter)) continue;
      counted.add(counter);
      for (const { key, amount } of this.#amounts(pending, limit)) {
        const name = spendKeyText(key);
        this.#spent.set(name, sum(this.#spent.get(name), amount));
        this.#added.set(name, { key, spent: sum(this.#added.get(name)?.spent, amount) });
      }
    }
  }

  messagesAt(key: SpendKey): bigint {
    return this.#spent.get(spendKeyText(key))?.messages ?? 0n;
  }

  get added(): readonly { key: SpendKey; spent: Spent }[] {
    return [...this.#added.values()];
  }

  #measuredAmount({ measure }: OwnedLimit, spent: Spent | undefined): bigint {
    return (measure === 'messages' ? spent?.messages : spent?.micros) ?? 0n;
  }

  #keys(pending: PendingRequest, limit: OwnedLimit): SpendKey[] {
    return this.#amounts(pending, limit).map(({ key }) => key);
  }

  #amounts(
    { request, ids, charge, prices, watch }: PendingRequest,
    limit: OwnedLimit,
  ): { key: SpendKey; amount: Spent }[] {
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
    const amounts = new Map<string, Spent>();
    for (const [index, { digits }] of request.recipients.entries()) {
      const amount = { messages: 1n, micros: prices[index] as bigint };
      amounts.set(digits, sum(amounts.get(digits), amount));
    }
    return [...amounts].map(([subject, amount]) => ({ key: { ...base, subject }, amount }));
  }
}

const sum = (a: Spent | undefined, b: Spent): Spent => ({
  messages: (a?.messages ?? 0n) + b.messages,
  micros: (a?.micros ?? 0n) + b.micros,
});

export interface Overrun {
  limit: OwnedLimit;
  key: SpendKey;
  endsAt: Date;
  /** As in SpendKey. */
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

import type { AccountRef } from '../../../accounts/account-ref.js';
import { comparableSender } from '../../../accounts/account-settings.js';
import {
  endOf,
  guardsOf,
  isGuarded,
  type OwnedLimit,
  type SpendLimit,
  watchOf,
} from '../../../accounts/guard/guard.js';
import { formatMoney } from '../../../accounts/money.js';
import { callingCodeOf } from '../../../carriers/numbers/phone-numbers.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PendingRequest } from '../pending-request.js';
import { isWatched } from './holds.js';

const NONE: readonly OwnedLimit[] = [];

/** The limits that a send of an account obeys. */
export function limitsOf(account: AccountRef): readonly OwnedLimit[] {
  if (!isGuarded(account)) return NONE;
  return guardsOf(account).flatMap(({ keyId, guard }) => guard.limits.map((limit) => ({ ...limit, keyId })));
}

/** Whether a send of an account may be refused once it is accepted alone: at a limit, or by what is held. */
export function hasLimits(account: AccountRef): boolean {
  return limitsOf(account).length > 0 || watchOf(account) !== null;
}

/** What is counted in one place: by whom, for whom, and until when. */
export interface SpendKey {
  accountId: string;
  keyId: string | null;
  scope: OwnedLimit['scope'];
  /** Digits or user id of the recipient, sender ID, calling code; empty where all are counted together. */
  subject: string;
  span: SpendLimit['span'];
  endsAt: Date;
}

/** What was accepted there. */
export interface Spent {
  messages: bigint;
  micros: bigint;
}

/** The text by which a place is known. */
export const placeOf = ({ accountId, keyId, scope, subject, span, endsAt }: SpendKey): string =>
  `${accountId} ${keyId ?? ''} ${span} ${endsAt.getTime()} ${scope} ${subject}`;

/** What each place of some requests had, and has by what was let through since. */
export class SpendBook {
  readonly #spent = new Map<string, Spent>();
  readonly #added = new Map<string, { key: SpendKey; spent: Spent }>();
  readonly #now: Date;

  /** @param now decides the spans */
  constructor(now: Date) {
    this.#now = now;
  }

  /** All places in which some requests count, each once. */
  keysOf(batch: readonly PendingRequest[]): SpendKey[] {
    const keys = new Map<string, SpendKey>();
    for (const pending of batch) {
      for (const limit of pending.limits) {
        for (const key of this.#keys(pending, limit)) keys.set(placeOf(key), key);
      }
    }
    return [...keys.values()];
  }

  /** Notes what a place had before. */
  had(key: SpendKey, spent: Spent): void {
    this.#spent.set(placeOf(key), spent);
  }

  /** The first limit that a request would go beyond, with the recipients who are at it; null where it keeps to all. */
  overrun(pending: PendingRequest): Overrun | null {
    for (const limit of pending.limits) {
      const over = this.#amounts(pending, limit).filter(({ key, amount }) => {
        const spent = this.#spent.get(placeOf(key));
        return this.#of(limit, spent) + this.#of(limit, amount) > BigInt(limit.most);
      });
      const [first] = over;
      if (first) {
        const recipients = limit.scope === 'recipient' ? over.map(({ key }) => key.subject) : [];
        return { limit, key: first.key, endsAt: first.key.endsAt, subject: first.key.subject, recipients };
      }
    }
    return null;
  }

  /** Lets a request through: the next ones find less room. */
  add(pending: PendingRequest): void {
    const counted = new Set<string>();
    for (const limit of pending.limits) {
      // Two limits of one place, one of messages and one of money, share its counts.
      const place = `${limit.keyId} ${limit.scope} ${limit.country ?? ''} ${limit.span}`;
      if (counted.has(place)) continue;
      counted.add(place);
      for (const { key, amount } of this.#amounts(pending, limit)) {
        const name = placeOf(key);
        this.#spent.set(name, sum(this.#spent.get(name), amount));
        this.#added.set(name, { key, spent: sum(this.#added.get(name)?.spent, amount) });
      }
    }
  }

  /** How many messages a place has. */
  messagesAt(key: SpendKey): bigint {
    return this.#spent.get(placeOf(key))?.messages ?? 0n;
  }

  /** What was let through, by place. */
  get added(): readonly { key: SpendKey; spent: Spent }[] {
    return [...this.#added.values()];
  }

  #of({ measure }: OwnedLimit, spent: Spent | undefined): bigint {
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
    const at = { accountId: request.account.id, keyId, scope, span, endsAt: endOf(span, this.#now) };
    if (scope === 'country') {
      const subject = limit.country ?? '';
      const isThere = (digits: string) => isWatched(watch, digits) && callingCodeOf(digits) === subject;
      const there = request.recipients.filter(({ digits }) => isThere(digits)).length;
      return [{ key: { ...at, subject }, amount: { messages: BigInt(there), micros: 0n } }];
    }
    if (scope !== 'recipient') {
      const subject = scope === 'total' ? '' : comparableSender(request.sender);
      return [{ key: { ...at, subject }, amount: { messages: BigInt(ids.length), micros: charge } }];
    }
    const amounts = new Map<string, Spent>();
    for (const [index, { digits }] of request.recipients.entries()) {
      const amount = { messages: 1n, micros: prices[index] as bigint };
      amounts.set(digits, sum(amounts.get(digits), amount));
    }
    return [...amounts].map(([subject, amount]) => ({ key: { ...at, subject }, amount }));
  }
}

const sum = (one: Spent | undefined, other: Spent): Spent => ({
  messages: (one?.messages ?? 0n) + other.messages,
  micros: (one?.micros ?? 0n) + other.micros,
});

/** A limit that a request would go beyond. */
export interface Overrun {
  limit: OwnedLimit;
  key: SpendKey;
  endsAt: Date;
  /** As of its place. */
  subject: string;
  /** Those who are at it, where it is one of recipients. */
  recipients: readonly string[];
}

/** The refusal of a send that would go beyond a limit: nothing of it was accepted or charged. */
export class LimitReached extends AppError {
  readonly overrun: Overrun;

  constructor(overrun: Overrun, currency: string, now: Date) {
    const { limit, endsAt } = overrun;
    const seconds = Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1000));
    super('LIMIT_REACHED', `${sentenceOf(overrun, currency)} It ends at ${endsAt.toISOString()}.`, fieldsOf(limit), {
      retryAfterSeconds: seconds,
    });
    this.overrun = overrun;
  }
}

function sentenceOf({ limit, subject }: Overrun, currency: string): string {
  const most =
    limit.measure === 'messages' ? `${limit.most} messages` : `${formatMoney(BigInt(limit.most))} ${currency}`;
  const whose = limit.keyId === null ? 'The account' : 'The key';
  const whom = {
    total: '',
    country: '',
    recipient: ` to one recipient (${subject})`,
    sender: ` from one sender ID (${subject})`,
  };
  return `${whose} may send ${most} each ${limit.span}${whom[limit.scope]}, and this would be more.`;
}

const FIELDS = { total: null, country: 'to', recipient: 'to', sender: 'from' } as const;

function fieldsOf({ scope, span }: OwnedLimit) {
  const field = FIELDS[scope];
  return field === null ? [] : [{ field, rule: `is at its limit of this ${span}` }];
}

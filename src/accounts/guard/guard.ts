/** What a limit counts. */
export const MEASURES = ['messages', 'money'] as const;
export type Measure = (typeof MEASURES)[number];

/** For how long it counts: an hour, a day or a month of the calendar, in UTC. */
export const SPANS = ['hour', 'day', 'month'] as const;
export type Span = (typeof SPANS)[number];

/** For whom: all together, each recipient, or each sender ID. */
export const SCOPES = ['total', 'recipient', 'sender'] as const;
export type Scope = (typeof SCOPES)[number];

/** So much, and no more, is accepted within a span. */
export interface SpendLimit {
  /** A whole number of messages, or millionths of the currency unit, in decimal digits. */
  most: string;
  measure: Measure;
  span: Span;
  scope: Scope;
}

/** A limit, and whose it is: null of the account, else the id of the key. */
export interface OwnedLimit extends Omit<SpendLimit, 'scope'> {
  keyId: string | null;
  /** `country`: of what is watched, for one calling code. */
  scope: Scope | 'country';
  country?: string;
}

/** An account whose sends are looked at for what looks like pumping. */
export interface Watch {
  /** Minutes for which numbers are held. */
  holdMinutes: number;
  /** Beginnings of numbers, with `+`, that are never held. */
  safe: readonly string[];
}

/** What an operator allows an account, or one of its keys, to send. */
export interface SpendGuard {
  /** Countries by their ISO 3166 code (`DE`), and beginnings of numbers (`+4915`); none: any. */
  allowed: readonly string[];
  /** Numbers at premium rate or shared cost, of satellites and of international networks are refused, unless a beginning of them is allowed. */
  refusesRisky: boolean;
  limits: readonly SpendLimit[];
  /** Of an account alone; null or left out: it is not watched. */
  watch?: Watch | null;
}

/** A guard, and whose it is: null of the account, else the id of the key. */
export interface OwnedGuard {
  keyId: string | null;
  guard: SpendGuard;
}

/** A key of an account, with its guard as stored; null if the key has none. */
export interface GuardedKey {
  id: string;
  guard: unknown;
}

/** An account's guard and the key that pays, both as stored. */
export interface Guarded {
  spendGuard?: unknown;
  /** The key of the request, or of the earlier request that triggered this send. Missing for campaigns, automations and the console. */
  key?: GuardedKey;
}

const NONE: readonly OwnedGuard[] = [];

/** The guards that a send must pass: the account's, and the key's if a key's request caused the send. */
export function guardsOf({ spendGuard, key }: Guarded): readonly OwnedGuard[] {
  if (!spendGuard && !key?.guard) return NONE;
  const guards: OwnedGuard[] = [];
  if (spendGuard) guards.push({ keyId: null, guard: spendGuard as SpendGuard });
  if (key?.guard) guards.push({ keyId: key.id, guard: key.guard as SpendGuard });
  return guards;
}

/** Whether a send of an account has any guard to pass. Cheap: called for every send. */
export function isGuarded({ spendGuard, key }: Guarded): boolean {
  return Boolean(spendGuard || key?.guard);
}

/** How an account is watched; null where it is not. */
export function watchOf({ spendGuard }: Guarded): Watch | null {
  return (spendGuard as SpendGuard | null | undefined)?.watch ?? null;
}

/** Adds the key of a request to its account, so that sends store the key and pass its guard. */
export function withKey<T extends Guarded>(account: T, id: string, guard: unknown): T & { key: GuardedKey } {
  return { ...account, key: { id, guard } };
}

/** The end of the span that a moment lies in. */
export function endOf(span: Span, now: Date): Date {
  const [year, month, day, hour] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), now.getUTCHours()];
  switch (span) {
    case 'hour':
      return new Date(Date.UTC(year, month, day, hour + 1));
    case 'day':
      return new Date(Date.UTC(year, month, day + 1));
    case 'month':
      return new Date(Date.UTC(year, month + 1));
  }
}

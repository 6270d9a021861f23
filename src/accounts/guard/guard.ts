/** The unit of a limit. */
export const MEASURES = ['messages', 'money'] as const;
export type Measure = (typeof MEASURES)[number];

/** The period of a limit: a calendar hour, day or month, in UTC. */
export const SPANS = ['hour', 'day', 'month'] as const;
export type Span = (typeof SPANS)[number];

/** Whether a limit applies to all sends together, to each recipient, or to each sender ID. */
export const SCOPES = ['total', 'recipient', 'sender'] as const;
export type Scope = (typeof SCOPES)[number];

/** A maximum of messages or money per period. */
export interface SpendLimit {
  /** A number of messages, or millionths of the currency unit, in decimal digits. */
  most: string;
  measure: Measure;
  span: Span;
  scope: Scope;
}

/** A limit with its owner. */
export interface OwnedLimit extends Omit<SpendLimit, 'scope'> {
  keyId: string | null;
  /** `country` limits what an account sends to one calling code; only `watch` creates such limits. */
  scope: Scope | 'country';
  country?: string;
}

/** Settings for detecting SMS pumping in the sends of an account. */
export interface Watch {
  /** How long suspicious numbers are blocked. */
  holdMinutes: number;
  /** Number prefixes with `+` that are never blocked. */
  safe: readonly string[];
}

/** What an operator allows an account or one of its API keys to send. */
export interface SpendGuard {
  /** Country codes (ISO 3166, `DE`) and number prefixes (`+4915`). Empty: any. */
  allowed: readonly string[];
  /**
   * Refuses premium-rate, shared-cost, satellite and international-network numbers, unless one of their prefixes is
   * allowed.
   */
  refusesRisky: boolean;
  limits: readonly SpendLimit[];
  /** Only for accounts, not for keys. Null or unset: not watched. */
  watch?: Watch | null;
}

export interface OwnedGuard {
  keyId: string | null;
  guard: SpendGuard;
}

/** An API key with its guard as stored; null if it has none. */
export interface GuardedKey {
  id: string;
  guard: unknown;
}

/** An account with its guard, and the API key that caused the send with its own. */
export interface Guarded {
  spendGuard?: unknown;
  /**
   * The key of the request, or of the earlier request that caused this send. Unset for campaigns, automations and the
   * console.
   */
  key?: GuardedKey;
}

const NO_GUARDS: readonly OwnedGuard[] = [];

/** Returns the guards a send must pass: the account's, and the key's if a request caused the send. */
export function listGuards({ spendGuard, key }: Guarded): readonly OwnedGuard[] {
  if (!spendGuard && !key?.guard) return NO_GUARDS;
  const guards: OwnedGuard[] = [];
  if (spendGuard) guards.push({ keyId: null, guard: spendGuard as SpendGuard });
  if (key?.guard) guards.push({ keyId: key.id, guard: key.guard as SpendGuard });
  return guards;
}

/** Returns whether a send has any guard to pass. Called for every send. */
export function isGuarded({ spendGuard, key }: Guarded): boolean {
  return Boolean(spendGuard || key?.guard);
}

/** Returns the account's settings for detecting SMS pumping, or null if it is not watched. */
export function findWatch({ spendGuard }: Guarded): Watch | null {
  return (spendGuard as SpendGuard | null | undefined)?.watch ?? null;
}

/** Attaches the API key of a request to its account, so that sends store the key and pass its guard. */
export function withKey<T extends Guarded>(account: T, id: string, guard: unknown): T & { key: GuardedKey } {
  return { ...account, key: { id, guard } };
}

export function getSpanEnd(span: Span, now: Date): Date {
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

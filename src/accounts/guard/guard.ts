export const MEASURES = ['messages', 'money'] as const;
export type Measure = (typeof MEASURES)[number];

/** Calendar periods in UTC. */
export const SPANS = ['hour', 'day', 'month'] as const;
export type Span = (typeof SPANS)[number];

/** A spend limit applies to all messages together, or to each recipient or sender ID separately. */
export const SCOPES = ['total', 'recipient', 'sender'] as const;
export type Scope = (typeof SCOPES)[number];

export interface SpendLimit {
  /** Maximum number of messages, or maximum amount in millionths of the currency unit. Decimal digits. */
  most: string;
  measure: Measure;
  span: Span;
  scope: Scope;
}

export interface OwnedLimit extends Omit<SpendLimit, 'scope'> {
  keyId: string | null;
  /** Only `watch` creates limits with the scope `country`, which apply to one calling code. */
  scope: Scope | 'country';
  country?: string;
}

export interface Watch {
  holdMinutes: number;
  /** Number prefixes, such as `+4915`, that `watch` never blocks. */
  safe: readonly string[];
}

/** Restricts where and how much an account or one of its API keys may send. */
export interface SpendGuard {
  /** Allowed destinations as ISO 3166 country codes (`DE`) and number prefixes (`+4915`). Empty: any. */
  allowed: readonly string[];
  /** Refuses premium-rate, shared-cost, satellite and international-network numbers, unless `allowed` contains their prefix. */
  refusesRisky: boolean;
  limits: readonly SpendLimit[];
  /** Not for API keys. */
  watch?: Watch | null;
}

export interface OwnedGuard {
  keyId: string | null;
  guard: SpendGuard;
}

export interface GuardedKey {
  id: string;
  guard: unknown;
}

export interface Guarded {
  spendGuard?: unknown;
  /** The API key is unset for messages that campaigns, automations or the console send. */
  key?: GuardedKey;
}

const NO_GUARDS: readonly OwnedGuard[] = [];

export function listGuards({ spendGuard, key }: Guarded): readonly OwnedGuard[] {
  if (!spendGuard && !key?.guard) return NO_GUARDS;
  const guards: OwnedGuard[] = [];
  if (spendGuard) guards.push({ keyId: null, guard: spendGuard as SpendGuard });
  if (key?.guard) guards.push({ keyId: key.id, guard: key.guard as SpendGuard });
  return guards;
}

export function isGuarded({ spendGuard, key }: Guarded): boolean {
  return Boolean(spendGuard || key?.guard);
}

export function findWatch({ spendGuard }: Guarded): Watch | null {
  return (spendGuard as SpendGuard | null | undefined)?.watch ?? null;
}

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

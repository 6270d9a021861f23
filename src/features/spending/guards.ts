import { lockAccount } from '../../accounts/accounts.js';
import type { AuditEntryInput } from '../../accounts/audit/change.js';
import { diffForAudit } from '../../accounts/audit/diff.js';
import {
  MEASURES,
  type Measure,
  SCOPES,
  type Scope,
  SPANS,
  type Span,
  type SpendGuard,
} from '../../accounts/guard/guard.js';
import { formatMoney, parseAmount } from '../../accounts/money.js';
import { CALLING_CODES_BY_REGION, canBeginNumber } from '../../carriers/numbers/phone-numbers.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { Prisma, type PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

/** Maximum number of countries and number prefixes together. */
const MAX_ALLOWED = 500;
const PREFIX_PATTERN = /^\+[1-9]\d{0,14}$/;
const COUNT_PATTERN = /^(0|[1-9]\d{0,11})$/;

/** As entered by operators. */
export interface LimitInput {
  /** A number of messages such as `1000`, or an amount of money such as `12.34`. */
  most: string;
  measure: Measure;
  span: Span;
  scope: Scope;
}

/** As entered by operators. */
export interface GuardInput {
  allowed: string[];
  refusesRisky: boolean;
  limits: readonly LimitInput[];
  /** Only for accounts. */
  watch: { holdMinutes: number; safe: string[] } | null;
}

export const OPEN_GUARD: GuardInput = { allowed: [], refusesRisky: true, limits: [], watch: null };

export const DEFAULT_HOLD_MINUTES = 20;
const MAX_HOLD_MINUTES = 1440;

/**
 * @throws {AppError} INVALID_REQUEST for an unknown country, a malformed prefix or limit, or two limits of the same
 * kind
 */
export function parseGuard({ allowed, refusesRisky, limits, watch }: GuardInput): SpendGuard {
  const destinations = parseAllowed(allowed);
  const kinds = new Set<string>();
  const parsedLimits = limits.map(({ most, measure, span, scope }, index) => {
    const field = `limits[${index}]`;
    const kind = `${measure} ${span} ${scope}`;
    if (kinds.has(kind)) throw invalidField(field, `must not repeat the limit of ${measure} per ${span}`);
    kinds.add(kind);
    if (measure === 'messages' && !COUNT_PATTERN.test(most)) {
      throw invalidField(`${field}.most`, 'must be a whole number of messages, with at most 12 digits');
    }
    return { most: measure === 'messages' ? most : String(parseAmount(`${field}.most`, most)), measure, span, scope };
  });
  return { allowed: destinations, refusesRisky, limits: parsedLimits, watch: watch && parseWatch(watch) };
}

function parseWatch({ holdMinutes, safe }: NonNullable<GuardInput['watch']>) {
  if (!Number.isInteger(holdMinutes) || holdMinutes < 1 || holdMinutes > MAX_HOLD_MINUTES) {
    throw invalidField('watch.holdMinutes', `must be a whole number from 1 to ${MAX_HOLD_MINUTES}`);
  }
  if (safe.length > MAX_ALLOWED) throw invalidField('watch.safe', `must have at most ${MAX_ALLOWED} entries`);
  for (const each of safe) {
    if (!PREFIX_PATTERN.test(each)) throw invalidField('watch.safe', 'must be number prefixes such as +4915');
  }
  return { holdMinutes, safe: [...new Set(safe)] };
}

/**
 * @param field named in errors
 * @throws {AppError} INVALID_REQUEST
 */
export function parseAllowed(allowed: readonly string[], field = 'allowed'): string[] {
  const destinations = [...new Set(allowed.map((each) => each.trim().toUpperCase()))];
  if (destinations.length > MAX_ALLOWED) throw invalidField(field, `must have at most ${MAX_ALLOWED} entries`);
  for (const each of destinations) {
    const isDestination = each.startsWith('+')
      ? PREFIX_PATTERN.test(each) && canBeginNumber(each.slice(1))
      : CALLING_CODES_BY_REGION.has(each);
    if (!isDestination) {
      throw invalidField(
        field,
        `must be countries such as DE (ISO 3166) or number prefixes such as +4915; ${JSON.stringify(each.slice(0, 20))} is neither`,
      );
    }
  }
  return destinations;
}

export function toGuardInput(stored: unknown): GuardInput | null {
  if (!stored) return null;
  const { allowed, refusesRisky, limits, watch } = stored as SpendGuard;
  return {
    allowed: [...allowed],
    refusesRisky,
    limits: limits.map((limit) => ({
      ...limit,
      most: limit.measure === 'messages' ? limit.most : formatMoney(BigInt(limit.most)),
    })),
    watch: watch ? { ...watch, safe: [...watch.safe] } : null,
  };
}

export function formatLimit({ most, measure, span, scope }: LimitInput): string {
  return `${most} ${measure} per ${span}${scope === 'total' ? '' : ` per ${scope}`}`;
}

const LIMIT_PATTERN = new RegExp(
  `^(\\S+) (${MEASURES.join('|')}) per (${SPANS.join('|')})(?: per (${SCOPES.join('|')}))?$`,
);

/** @throws {AppError} INVALID_REQUEST */
export function parseLimitText(text: string): LimitInput {
  const [, most, measure, span, scope = 'total'] = LIMIT_PATTERN.exec(text.trim().replace(/\s+/g, ' ')) ?? [];
  if (most === undefined) {
    throw invalidField(
      'limit',
      'must be such as "1000 messages per day", "25.00 money per month" or "5 messages per hour per recipient"',
    );
  }
  return { most, measure: measure as Measure, span: span as Span, scope: scope as Scope };
}

/** Value that is set instead of countries if new accounts may send anywhere. */
export const ANY_COUNTRY = 'any';

/**
 * Parses ISO 3166 codes. Returns an empty list for the single entry `any`, which lets new accounts send anywhere.
 * @param field Named in errors.
 * @throws {AppError} INVALID_REQUEST for an unknown country
 */
export function parseNewAccountCountries(input: readonly string[], field: string): string[] {
  const isAny = input.length === 1 && input[0]?.trim().toLowerCase() === ANY_COUNTRY;
  return isAny ? [] : parseAllowed(input, field);
}

/** Parses NEW_ACCOUNT_COUNTRIES into a list, which is empty if every country is allowed. */
export function parseCountriesSetting(setting: string | undefined): string[] {
  return setting === undefined ? [] : parseNewAccountCountries(setting.split(','), 'NEW_ACCOUNT_COUNTRIES');
}

/**
 * The account's `countries` replace `defaultCountries`, the setting NEW_ACCOUNT_COUNTRIES.
 * @param field Named in errors.
 * @throws {AppError} INVALID_REQUEST for an unknown country
 */
export function createGuardForNewAccount(
  countries: readonly string[] | undefined,
  defaultCountries: string | undefined,
  field = 'countries',
): SpendGuard | null {
  const allowed =
    countries === undefined ? parseCountriesSetting(defaultCountries) : parseNewAccountCountries(countries, field);
  return allowed.length === 0 ? null : { allowed, refusesRisky: true, limits: [] };
}

export interface GuardOwner {
  accountId: string;
  keyId: string | null;
}

/**
 * Null removes the guard. Running servers apply the change within two seconds.
 * @throws {AppError} NOT_FOUND for a key that is revoked or belongs to another account
 */
export async function setGuard(
  prisma: Pick<PrismaClient, 'account' | 'apiKey'>,
  { accountId, keyId }: GuardOwner,
  guard: SpendGuard | null,
): Promise<void> {
  const data = { spendGuard: guard === null ? Prisma.DbNull : (guard as unknown as Prisma.InputJsonObject) };
  if (keyId === null) {
    await prisma.account.update({ where: { id: accountId }, data });
    return;
  }
  await findKeyGuard(prisma, { accountId, keyId });
  await prisma.apiKey.update({ where: { id: keyId }, data });
}

/**
 * Replaces the current guard with the result of `update`, in which null means no guard.
 * @throws {AppError} NOT_FOUND for an unknown account or key; INVALID_REQUEST for an invalid guard
 */
export async function changeGuard(
  prisma: Prisma.TransactionClient,
  owner: GuardOwner,
  update: (previous: GuardInput | null) => GuardInput | null,
): Promise<{ guard: GuardInput | null; audit: AuditEntryInput | null }> {
  const { accountId, keyId } = owner;
  const account = await lockAccount(prisma, accountId);
  const { spendGuard } = keyId === null ? account : await findKeyGuard(prisma, { accountId, keyId });
  const previous = toGuardInput(spendGuard);
  const input = update(previous);
  const parsed = input && parseGuard(input);
  if (parsed?.watch && keyId !== null) throw invalidField('watch', 'must be set for the account, not for a key');
  await setGuard(prisma, owner, parsed);
  const guard = toGuardInput(parsed);
  const entry = diffForAudit('guard.change', keyId ?? accountId, { guard: previous }, { guard });
  return { guard, audit: entry && { ...entry, accountId } };
}

export interface GuardedKey {
  id: string;
  name: string;
  spendGuard: unknown;
}

const KEY_FIELDS = { id: true, name: true, spendGuard: true } as const;

/** @throws {AppError} NOT_FOUND for a key that is revoked or belongs to another account */
async function findKeyGuard(
  prisma: Pick<PrismaClient, 'apiKey'>,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<GuardedKey> {
  const where = { id: keyId, accountId, revokedAt: null };
  const key = isUuid(keyId) ? await prisma.apiKey.findFirst({ where, select: KEY_FIELDS }) : null;
  if (!key) throw new AppError('NOT_FOUND', `the account has no active key or app ${keyId}`);
  return key;
}

export function listKeyGuards(prisma: Pick<PrismaClient, 'apiKey'>, accountId: string): Promise<GuardedKey[]> {
  return prisma.apiKey.findMany({ where: { accountId, revokedAt: null }, select: KEY_FIELDS, orderBy: { id: 'asc' } });
}

import { lockedAccount } from '../../accounts/accounts.js';
import type { ToldChange } from '../../accounts/audit/change.js';
import { changeOf } from '../../accounts/audit/change-of.js';
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
import { CALLING_CODES_BY_REGION, mayBeginNumber } from '../../carriers/numbers/phone-numbers.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { Prisma, type PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

/** Most countries and beginnings of numbers. */
const MAX_ALLOWED = 500;
const BEGINNING = /^\+[1-9]\d{0,14}$/;
const COUNT = /^(0|[1-9]\d{0,11})$/;

/** A limit as operators write it. */
export interface WrittenLimit {
  /** `1000` messages, or an amount such as `12.34`. */
  most: string;
  measure: Measure;
  span: Span;
  scope: Scope;
}

/** A guard as operators write it. */
export interface WrittenGuard {
  allowed: string[];
  refusesRisky: boolean;
  limits: readonly WrittenLimit[];
  /** Of an account alone; null: what looks like pumping is not held. */
  watch: { holdMinutes: number; safe: string[] } | null;
}

/** The guard of an account or key without any limit, as it begins. */
export const OPEN_GUARD: WrittenGuard = { allowed: [], refusesRisky: true, limits: [], watch: null };

/** Minutes for which numbers are held, unless told. */
export const HOLD_MINUTES = 20;
const MOST_HOLD_MINUTES = 1440;

/**
 * Reads a guard.
 * @throws {AppError} INVALID_REQUEST for an unknown country, a malformed beginning of numbers or limit, or two limits of one kind
 */
export function readGuard({ allowed, refusesRisky, limits, watch }: WrittenGuard): SpendGuard {
  const places = readAllowed(allowed);
  const kinds = new Set<string>();
  const read = limits.map(({ most, measure, span, scope }, index) => {
    const field = `limits[${index}]`;
    const kind = `${measure} ${span} ${scope}`;
    if (kinds.has(kind)) throw invalidField(field, `must not be the second of ${measure} per ${span}`);
    kinds.add(kind);
    if (measure === 'messages' && !COUNT.test(most)) {
      throw invalidField(`${field}.most`, 'must be a whole number of messages, with at most 12 digits');
    }
    return { most: measure === 'messages' ? most : String(parseAmount(`${field}.most`, most)), measure, span, scope };
  });
  return { allowed: places, refusesRisky, limits: read, watch: watch && readWatch(watch) };
}

function readWatch({ holdMinutes, safe }: NonNullable<WrittenGuard['watch']>) {
  if (!Number.isInteger(holdMinutes) || holdMinutes < 1 || holdMinutes > MOST_HOLD_MINUTES) {
    throw invalidField('watch.holdMinutes', `must be a whole number from 1 to ${MOST_HOLD_MINUTES}`);
  }
  if (safe.length > MAX_ALLOWED) throw invalidField('watch.safe', `must not be more than ${MAX_ALLOWED}`);
  for (const each of safe) {
    if (!BEGINNING.test(each)) throw invalidField('watch.safe', 'must be beginnings of numbers such as +4915');
  }
  return { holdMinutes, safe: [...new Set(safe)] };
}

/**
 * Reads countries and beginnings of numbers.
 * @param field that a refusal names
 * @throws {AppError} INVALID_REQUEST
 */
export function readAllowed(allowed: readonly string[], field = 'allowed'): string[] {
  const places = [...new Set(allowed.map((each) => each.trim().toUpperCase()))];
  if (places.length > MAX_ALLOWED) throw invalidField(field, `must not be more than ${MAX_ALLOWED}`);
  for (const each of places) {
    const isPlace = each.startsWith('+')
      ? BEGINNING.test(each) && mayBeginNumber(each.slice(1))
      : CALLING_CODES_BY_REGION.has(each);
    if (!isPlace) {
      throw invalidField(
        field,
        `must be countries such as DE (ISO 3166) and beginnings of numbers such as +4915; ${JSON.stringify(each.slice(0, 20))} is neither`,
      );
    }
  }
  return places;
}

/** A guard as operators write it; null where none is set. */
export function writtenGuard(stored: unknown): WrittenGuard | null {
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

/** A limit in words, such as `100 messages per day per recipient`. */
export function limitText({ most, measure, span, scope }: WrittenLimit): string {
  return `${most} ${measure} per ${span}${scope === 'total' ? '' : ` per ${scope}`}`;
}

const LIMIT = new RegExp(`^(\\S+) (${MEASURES.join('|')}) per (${SPANS.join('|')})(?: per (${SCOPES.join('|')}))?$`);

/**
 * Reads a limit in words.
 * @throws {AppError} INVALID_REQUEST
 */
export function readLimitText(text: string): WrittenLimit {
  const [, most, measure, span, scope = 'total'] = LIMIT.exec(text.trim().replace(/\s+/g, ' ')) ?? [];
  if (most === undefined) {
    throw invalidField(
      'limit',
      'must be such as "1000 messages per day", "25.00 money per month" or "5 messages per hour per recipient"',
    );
  }
  return { most, measure: measure as Measure, span: span as Span, scope: scope as Scope };
}

/** In the place of countries: a new account may send anywhere. */
export const ANY_COUNTRY = 'any';

/**
 * The countries that a new account begins with; none: any.
 * @param written by their ISO 3166 codes, or `any` alone
 * @param field that a refusal names
 * @throws {AppError} INVALID_REQUEST for what is no country
 */
export function readNewCountries(written: readonly string[], field: string): string[] {
  const isAny = written.length === 1 && written[0]?.trim().toLowerCase() === ANY_COUNTRY;
  return isAny ? [] : readAllowed(written, field);
}

/** The countries of the setting NEW_ACCOUNT_COUNTRIES; none: any. */
export function countriesOfSetting(setting: string | undefined): string[] {
  return setting === undefined ? [] : readNewCountries(setting.split(','), 'NEW_ACCOUNT_COUNTRIES');
}

/**
 * The guard of a new account: to its own countries, or to those that new accounts have; null where there are neither.
 * @param byDefault of the setting NEW_ACCOUNT_COUNTRIES
 * @param field that a refusal names
 * @throws {AppError} INVALID_REQUEST for what is no country
 */
export function guardOfNew(
  countries: readonly string[] | undefined,
  byDefault: string | undefined,
  field = 'countries',
): SpendGuard | null {
  const allowed = countries === undefined ? countriesOfSetting(byDefault) : readNewCountries(countries, field);
  return allowed.length === 0 ? null : { allowed, refusesRisky: true, limits: [] };
}

/** Whose guard it is: of an account, or of one of its keys. */
export interface GuardOwner {
  accountId: string;
  keyId: string | null;
}

/**
 * Sets the guard of an account or key; null ends it. Running servers go by it within two seconds.
 * @throws {AppError} NOT_FOUND for a key that the account does not have, or that is revoked
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
 * Changes the guard of an account or key, in a transaction.
 * @param next of the guard as it was; null where there is to be none
 * @returns the guard, and its line of the audit log; null where nothing changed
 * @throws {AppError} NOT_FOUND for an unknown account or key; INVALID_REQUEST as `readGuard`
 */
export async function changeGuard(
  prisma: Prisma.TransactionClient,
  owner: GuardOwner,
  next: (was: WrittenGuard | null) => WrittenGuard | null,
): Promise<{ guard: WrittenGuard | null; told: ToldChange | null }> {
  const { accountId, keyId } = owner;
  const account = await lockedAccount(prisma, accountId);
  const { spendGuard } = keyId === null ? account : await findKeyGuard(prisma, { accountId, keyId });
  const was = writtenGuard(spendGuard);
  const wanted = next(was);
  const read = wanted && readGuard(wanted);
  if (read?.watch && keyId !== null) throw invalidField('watch', 'must be set of the account, not of a key');
  await setGuard(prisma, owner, read);
  const guard = writtenGuard(read);
  const line = changeOf('guard.change', keyId ?? accountId, { guard: was }, { guard });
  return { guard, told: line && { ...line, accountId } };
}

/** A key, and its guard as it is stored. */
export interface GuardedKey {
  id: string;
  name: string;
  spendGuard: unknown;
}

const KEY = { id: true, name: true, spendGuard: true } as const;

/** @throws {AppError} NOT_FOUND for a key that the account does not have, or that is revoked */
async function findKeyGuard(
  prisma: Pick<PrismaClient, 'apiKey'>,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<GuardedKey> {
  const where = { id: keyId, accountId, revokedAt: null };
  const key = isUuid(keyId) ? await prisma.apiKey.findFirst({ where, select: KEY }) : null;
  if (!key) throw new AppError('NOT_FOUND', `the account has no key or app ${keyId} that is not revoked`);
  return key;
}

/** The keys and apps of an account that are not revoked, the oldest first. */
export function listKeyGuards(prisma: Pick<PrismaClient, 'apiKey'>, accountId: string): Promise<GuardedKey[]> {
  return prisma.apiKey.findMany({ where: { accountId, revokedAt: null }, select: KEY, orderBy: { id: 'asc' } });
}

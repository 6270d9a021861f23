import { isSupportedCountry } from 'libphonenumber-js';
import { requireAccount } from '../../accounts/accounts.js';
import { invalidField } from '../../platform/errors/app-error.js';
import { Prisma, type PrismaClient } from '../../platform/generated/prisma/client.js';
import type { QuietRule, Window } from './rule.js';
import { RULE_PRESETS } from './rules/presets.js';

export const MAX_OWN_RULES = 20;
const MAX_WINDOWS = 20;
const MAX_CLOSED_DATES = 100;
const MAX_NAME_LENGTH = 40;
const MINUTES_PER_DAY = 1440;

/** A rule that an account wrote itself. */
export interface OwnRule {
  name: string;
  /** ISO 3166-1 codes. Empty: every country. */
  countries: readonly string[];
  windows: readonly Window[];
  /** Further days that are quiet all day, such as `2026-12-24`. */
  closedDates: readonly string[];
}

/** The column `accounts.quiet_hours`. */
export interface QuietHours {
  /** IDs of `RULE_PRESETS`. IDs of presets that later versions removed have no effect. */
  presets: readonly string[];
  rules: readonly OwnRule[];
  /** Whether the hours also apply to transactional messages. */
  includesTransactional: boolean;
}

/** @throws {AppError} INVALID_REQUEST, NOT_FOUND */
export async function setQuietHours(
  prisma: Pick<PrismaClient, 'account'>,
  accountId: string,
  quietHours: QuietHours | null,
): Promise<void> {
  await requireAccount(prisma, accountId);
  const data = quietHours && (checkQuietHours(quietHours) as unknown as Prisma.InputJsonObject);
  await prisma.account.update({ where: { id: accountId }, data: { quietHours: data ?? Prisma.DbNull } });
}

/** @param stored the column `accounts.quiet_hours` */
export function readQuietHours(stored: unknown): QuietHours | null {
  return (stored as QuietHours | null | undefined) ?? null;
}

/** Returns only the known fields. @throws {AppError} INVALID_REQUEST */
function checkQuietHours({ presets, rules, includesTransactional }: QuietHours): QuietHours {
  const unknown = presets.find((id) => !RULE_PRESETS.some((preset) => preset.id === id));
  if (unknown !== undefined) {
    throw invalidField('quietHours.presets', `must contain IDs such as fr, but ${JSON.stringify(unknown)} is not one`);
  }
  if (presets.length + rules.length === 0) throw invalidField('quietHours', 'must have a preset or a rule');
  if (rules.length > MAX_OWN_RULES)
    throw invalidField('quietHours.rules', `must have at most ${MAX_OWN_RULES} entries`);
  return {
    presets: RULE_PRESETS.map(({ id }) => id).filter((id) => presets.includes(id)),
    rules: rules.map((rule, index) => checkRule(rule, `quietHours.rules[${index}]`)),
    includesTransactional,
  };
}

function checkRule({ name, countries, windows, closedDates }: OwnRule, field: string): OwnRule {
  const trimmedName = name.trim();
  if (trimmedName === '' || trimmedName.length > MAX_NAME_LENGTH) {
    throw invalidField(`${field}.name`, `must have 1 to ${MAX_NAME_LENGTH} characters`);
  }
  if (!countries.every((country) => isSupportedCountry(country))) {
    throw invalidField(`${field}.countries`, 'must contain ISO 3166 codes of countries, such as DE');
  }
  if (windows.length === 0 || windows.length > MAX_WINDOWS) {
    throw invalidField(`${field}.windows`, `must have 1 to ${MAX_WINDOWS} entries`);
  }
  for (const { days, from, to } of windows) {
    const isValid =
      days.length > 0 &&
      days.every((day) => Number.isInteger(day) && day >= 0 && day <= 6) &&
      [from, to].every(Number.isInteger) &&
      from >= 0 &&
      from < to &&
      to <= MINUTES_PER_DAY;
    if (!isValid) {
      throw invalidField(
        `${field}.windows`,
        'must have days from 0 (Sunday) to 6, and minutes from 0 to 1440 in order',
      );
    }
  }
  if (closedDates.length > MAX_CLOSED_DATES || !closedDates.every(isDate)) {
    throw invalidField(`${field}.closedDates`, `must have at most ${MAX_CLOSED_DATES} dates such as 2026-12-24`);
  }
  return {
    name: trimmedName,
    countries: [...new Set(countries)],
    windows: windows.map(({ days, from, to }) => ({ days: [...new Set(days)].sort(), from, to })),
    closedDates: [...new Set(closedDates)].sort(),
  };
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * Reads rules that a person wrote as JSON. Their values are checked when they are saved.
 * @throws {AppError} INVALID_REQUEST
 */
export function parseOwnRules(json: string): OwnRule[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw invalidField('quietHours.rules', 'must be valid JSON');
  }
  if (!Array.isArray(value)) throw invalidField('quietHours.rules', 'must be a JSON array');
  return value.map((entry: unknown, index) => {
    const { name, countries = [], windows, closedDates = [] } = Object(entry) as Partial<OwnRule>;
    const isShaped =
      typeof name === 'string' &&
      Array.isArray(windows) &&
      windows.every((window: unknown) => Array.isArray((Object(window) as Partial<Window>).days)) &&
      [countries, closedDates].every((list) => Array.isArray(list) && list.every((text) => typeof text === 'string'));
    if (!isShaped) {
      throw invalidField(`quietHours.rules[${index}]`, 'must have name, windows with days, and lists of texts');
    }
    return { name, countries, windows, closedDates };
  });
}

export function listRules({ presets, rules }: QuietHours): QuietRule[] {
  return [
    ...RULE_PRESETS.filter(({ id }) => presets.includes(id)),
    ...rules.map((rule) => ({ ...rule, id: rule.name, label: rule.name, region: null, holidays: null })),
  ];
}

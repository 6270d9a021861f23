import type { CountryDirectory } from '../../carriers/numbers/country-patterns.js';
import type { Bind } from '../contacts/search/term-sql.js';

/** A contact without a number is in the country of its WhatsApp user ID, such as US.13491208655302741918. */
export function isInCountrySql(country: string, directory: CountryDirectory, bind: Bind): string {
  const userId = `c.phone IS NULL AND starts_with(coalesce(c.user_id, c.parent_user_id), ${bind(`${country}.`)}::text)`;
  const numbers = directory.get(country);
  if (numbers === undefined) return `(${userId})`;
  const { callingCode, shared } = numbers;
  // Digits sort the same in every collation. No calling code consists only of nines, so the next one has the same length.
  const next = String(Number(callingCode) + 1);
  const range = `c.phone >= ${bind(callingCode)}::text AND c.phone < ${bind(next)}::text`;
  if (shared === null) return `(${range} OR ${userId})`;
  const matches = (pattern: string) => `c.phone ~ ${bind(pattern)}::text`;
  const ownNumberSql = matches(shared.own);
  if (shared.others.length === 0) return `(${range} AND ${ownNumberSql} OR ${userId})`;
  const notOthers = `NOT ${matches(shared.others.map((pattern) => `(?:${pattern})`).join('|'))}`;
  return `(${range} AND (${ownNumberSql} ${shared.isMain ? 'OR' : 'AND'} ${notOthers}) OR ${userId})`;
}

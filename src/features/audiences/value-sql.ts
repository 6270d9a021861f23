import type { Bind } from '../contacts/search/term-sql.js';
import type { Test } from './condition.js';

/** Texts are compared without regard to case. */
export function textSql(column: string, { operator, value }: Test, bind: Bind): string {
  if (operator === 'isSet' || operator === 'isNotSet')
    return `coalesce(${column}, '') ${operator === 'isSet' ? '<>' : '='} ''`;
  const fold = /[^\0-\x7f]/.test(String(value))
    ? (text: string) => `fold_letters(lower(${text}))`
    : (text: string) => `lower(${text})`;
  const stored = fold(column);
  const givenSql = fold(`${bind(value)}::text`);
  switch (operator) {
    case 'contains':
      return `strpos(${stored}, ${givenSql}) > 0`;
    case 'notContains':
      return `(strpos(${stored}, ${givenSql}) > 0) IS NOT TRUE`;
    case 'startsWith':
      return `starts_with(${stored}, ${givenSql})`;
    default:
      return operator === 'is' ? `${stored} = ${givenSql}` : `(${stored} = ${givenSql}) IS NOT TRUE`;
  }
}

/** @param column of the type jsonb. Values of other types are neither less nor more. */
export function numberSql(column: string, { operator, value }: Test, bind: Bind): string {
  const comparison = `${column} ${operator === 'lessThan' ? '<' : '>'} ${bind(JSON.stringify(value))}::jsonb`;
  return `jsonb_typeof(${column}) = 'number' AND ${comparison}`;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days are days in UTC. */
const toDay = (time: Date, days = 0) => new Date(time.getTime() + days * DAY_MS).toISOString().slice(0, 10);

/** @param column a text such as 2026-01-31 */
export function dateSql(column: string, { operator, value }: Test, now: Date, bind: Bind): string {
  const stored = `(${column}) COLLATE "C"`;
  const between = (first: string, last: string) => `${stored} BETWEEN ${bind(first)}::text AND ${bind(last)}::text`;
  switch (operator) {
    case 'before':
      return `${stored} < ${bind(value)}::text`;
    case 'after':
      return `${stored} > ${bind(value)}::text`;
    case 'inNextDays':
      return between(toDay(now), toDay(now, Number(value)));
    case 'notInLastDays':
      return `(${between(toDay(now, -Number(value)), toDay(now))}) IS NOT TRUE`;
    default:
      return between(toDay(now, -Number(value)), toDay(now));
  }
}

/** @param column of the type timestamptz. Before and after a day leave out the day itself, which is a day in UTC. */
export function timeSql(column: string, { operator, value }: Test, now: Date, bind: Bind): string {
  const since = (days: number) => `${bind(new Date(now.getTime() - days * DAY_MS).toISOString())}::timestamptz`;
  switch (operator) {
    case 'isSet':
    case 'isNotSet':
      return `${column} IS ${operator === 'isSet' ? 'NOT ' : ''}NULL`;
    case 'before':
      return `${column} < ${bind(`${value}T00:00:00.000Z`)}::timestamptz`;
    case 'after':
      return `${column} >= ${bind(`${toDay(new Date(`${value}T00:00:00.000Z`), 1)}T00:00:00.000Z`)}::timestamptz`;
    case 'notInLastDays':
      return `(${column} >= ${since(Number(value))}) IS NOT TRUE`;
    default:
      return `${column} >= ${since(Number(value))}`;
  }
}

import { isDeepStrictEqual } from 'node:util';
import type { ToldChange } from './change.js';

/**
 * The line of a thing that was changed: of its fields those that became another, as they were and as they are.
 * @returns null where none did, for then nothing was changed
 */
export function changeOf<T extends object>(action: string, subject: string, was: T, now: T): ToldChange | null {
  const names = (Object.keys(now) as (keyof T)[]).filter((name) => !isDeepStrictEqual(was[name], now[name]));
  if (names.length === 0) return null;
  const fieldsOf = (thing: T) => Object.fromEntries(names.map((name) => [name, thing[name]]));
  return { action, subject, before: fieldsOf(was), after: fieldsOf(now) };
}

import { isDeepStrictEqual } from 'node:util';
import type { AuditEntryInput } from './change.js';

/** Null if nothing differs. */
export function diffForAudit<T extends object>(
  action: string,
  subject: string,
  before: T,
  after: T,
): AuditEntryInput | null {
  const names = (Object.keys(after) as (keyof T)[]).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (names.length === 0) return null;
  const pickChanged = (values: T) => Object.fromEntries(names.map((name) => [name, values[name]]));
  return { action, subject, before: pickChanged(before), after: pickChanged(after) };
}

import { isDeepStrictEqual } from 'node:util';
import { diffForAudit } from '../../accounts/audit/diff.js';
import type { Carrier as CarrierRow } from '../../platform/generated/prisma/client.js';
import type { CarrierType } from '../carrier-type.js';
import type { SettingValues } from '../settings.js';
import { toCarrierView } from './carrier-view.js';

/** The audit log entry names all changed settings, because a replaced secret looks the same when masked. */
export function buildCarrierChangeEntry(rowBefore: CarrierRow, rowAfter: CarrierRow, types: readonly CarrierType[]) {
  const [before, after] = [rowBefore, rowAfter].map((row) => row.settings as SettingValues) as [
    SettingValues,
    SettingValues,
  ];
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  const changedNames = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const [shownBefore, shownAfter] = [rowBefore, rowAfter].map((row) => {
    const { isActive, settings } = toCarrierView(row, types);
    return { isActive, settings };
  }) as [object, object];
  const entry = diffForAudit('carrier.change', rowBefore.name, shownBefore, shownAfter);
  if (!entry && changedNames.length === 0) return null;
  return {
    action: 'carrier.change',
    subject: rowBefore.name,
    before: entry?.before ?? null,
    after: { ...entry?.after, changed: changedNames },
  };
}

import { isDeepStrictEqual } from 'node:util';
import { changeOf } from '../../accounts/audit/change-of.js';
import type { Carrier as CarrierRow } from '../../platform/generated/prisma/client.js';
import type { CarrierType } from '../carrier-type.js';
import type { SettingValues } from '../settings.js';
import { showCarrier } from './shown-carrier.js';

/**
 * The line of the audit log of a carrier that was changed: what may be seen of its settings, and the names of those that
 * became another, for a secret that was replaced looks the same as before.
 * @returns null where nothing became another
 */
export function carrierChangeOf(was: CarrierRow, now: CarrierRow, types: readonly CarrierType[]) {
  const [before, after] = [was, now].map((row) => row.settings as SettingValues) as [SettingValues, SettingValues];
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const [shownWas, shownNow] = [was, now].map((row) => {
    const { isActive, settings } = showCarrier(row, types);
    return { isActive, settings };
  }) as [object, object];
  const line = changeOf('carrier.change', was.name, shownWas, shownNow);
  if (!line && changed.length === 0) return null;
  return {
    action: 'carrier.change',
    subject: was.name,
    before: line?.before ?? null,
    after: { ...line?.after, changed },
  };
}

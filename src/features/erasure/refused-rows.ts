import { FIRST_ID } from '../../platform/ids.js';
import type { Person } from './person.js';
import { findRefusedInImports, findRefusedInSlices, type RefusedRows, writeRefusedRows } from './refused-rows-store.js';
import { makeTrace } from './trace.js';

/** Without the country code. */
const MIN_NATIONAL_DIGITS = 7;

export const refusedRows = makeTrace<RefusedRows>('refused rows of imports', {
  find: async function* (pool, { address, channelIds }: Person) {
    for (const find of [findRefusedInImports, findRefusedInSlices]) {
      for (let after: { jobId: string; position: number } | null = { jobId: FIRST_ID, position: -1 }; after; ) {
        const batch: RefusedRows[] = await find(pool, channelIds, after);
        yield batch.flatMap((entry) => {
          const rows = entry.rows.map((row) => (namesPerson(row, address) ? { row: row.row, reason: 'erased' } : row));
          return rows.some((row, index) => row !== entry.rows[index]) ? [{ ...entry, rows }] : [];
        });
        after = batch.at(-1) ?? null;
      }
    }
  },
  erase: (client, _person, entries) => writeRefusedRows(client, entries),
});

/** Matches a number with spaces, a plus sign or leading zeros, or without its country code. */
function namesPerson(
  { phone, userId = '', reason = '', cells = [] }: RefusedRows['rows'][number],
  address: string,
): boolean {
  const isNumber = (text: string) => {
    if (!/^\d+$/.test(address)) return false;
    const digits = text.replace(/\D/g, '').replace(/^0+/, '');
    return digits.length >= MIN_NATIONAL_DIGITS && address.endsWith(digits);
  };
  return [phone ?? '', ...cells].some(isNumber) || [userId, reason, ...cells].some((text) => text.includes(address));
}

import { FIRST_ID } from '../../platform/ids.js';
import { blankRefusals, findRefusals, findRefusalsOfSlices, type RefusalRow } from './imports-store.js';
import type { Person } from './person.js';
import { place } from './place.js';

/** A number written within its country has seven digits or more. */
const SHORTEST = 7;

/** Rows of imports that were refused, or never read, and are kept for a month, so that they can be mended. */
export const imports = place<RefusalRow>('refused rows of imports', {
  find: async function* (pool, { phone, channelIds }: Person) {
    for (const find of [findRefusals, findRefusalsOfSlices]) {
      for (let after: { jobId: string; position: number } | null = { jobId: FIRST_ID, position: -1 }; after; ) {
        const kept: RefusalRow[] = await find(pool, channelIds, after);
        yield kept.flatMap((each) => {
          const rows = each.rows.map((row) => (namesPhone(row, phone) ? { row: row.row, reason: 'erased' } : row));
          return rows.some((row, index) => row !== each.rows[index]) ? [{ ...each, rows }] : [];
        });
        after = kept.at(-1) ?? null;
      }
    }
  },
  erase: (client, _person, rows) => blankRefusals(client, rows),
});

/** However it is written: with blanks, a plus sign, a prefix of zeros, or as it is dialled within its country. */
function namesPhone(
  { phone, userId = '', reason = '', cells = [] }: RefusalRow['rows'][number],
  number: string,
): boolean {
  const isNumber = (text: string) => {
    if (!/^\d+$/.test(number)) return false;
    const digits = text.replace(/\D/g, '').replace(/^0+/, '');
    return digits.length >= SHORTEST && number.endsWith(digits);
  };
  return [phone ?? '', ...cells].some(isNumber) || [userId, reason, ...cells].some((text) => text.includes(number));
}

import type { Connection } from '../../../platform/store/with-transaction.js';
import { FIELD_KEY } from './field-values.js';

/** Heading of the column for each field key. */
export type CustomColumns = Readonly<Record<string, string>>;

/** Key of the column with tags in `CustomColumns`. It is not a valid field key. */
export const TAGS_COLUMN = '';
export const TAGS_HEADING = 'tags';

export function toFieldHeading(key: string): string {
  return `fields.${key}`;
}

/** Returns the key of a heading such as `fields.plan`, or null for other headings. */
export function readFieldHeading(heading: string): string | null {
  const [, key = ''] = /^fields\.(.*)$/.exec(heading.trim().toLowerCase()) ?? [];
  return FIELD_KEY.test(key) ? key : null;
}

/** The account's fields and whether it has tags, for columns that are recognized by their headings. */
const FIND_KNOWN = `
SELECT ARRAY(SELECT key FROM contact_fields WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id) AS keys,
       EXISTS (SELECT FROM contact_tags WHERE account_id = $1) AS "hasTags"`;

/**
 * Columns are recognized by their headings only if the account uses fields or tags, so that files are read as before in
 * other accounts.
 * @param chosen Headings chosen by the caller, which replace the recognized ones
 */
export async function findCustomColumns(
  pool: Connection,
  accountId: string,
  chosen: CustomColumns = {},
): Promise<CustomColumns> {
  const { rows } = await pool.query<{ keys: string[]; hasTags: boolean }>(FIND_KNOWN, [accountId]);
  const { keys = [], hasTags = false } = rows[0] ?? {};
  const recognized = Object.fromEntries(keys.map((key) => [key, toFieldHeading(key)]));
  return { ...(hasTags && { [TAGS_COLUMN]: TAGS_HEADING }), ...recognized, ...chosen };
}

/** Column indexes by key. Headings that the file does not have are omitted. */
export function locateCustomColumns(header: readonly string[], columns: CustomColumns): ReadonlyMap<string, number> {
  const headings = header.map((cell) => cell.trim().toLowerCase());
  const located = Object.entries(columns).map(([key, heading]) => {
    return [key, headings.indexOf(heading.trim().toLowerCase())] as const;
  });
  return new Map(located.filter(([, index]) => index !== -1));
}

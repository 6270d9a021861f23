import type pg from 'pg';
import { invalidField } from '../../platform/errors/app-error.js';
import { type OptOutEntry, type OptOutKey, readOptOutsAfter } from './opt-out-store.js';

/**
 * `search` is part of a number in any form, or the start of a WhatsApp user ID. `cursor` is `next` of the previous
 * page, or empty for the first page.
 * @throws {AppError} INVALID_REQUEST for an invalid cursor
 */
export async function listOptOutPage(
  { pool }: { pool: pg.Pool },
  accountId: string,
  { search = '', limit, cursor = '' }: { search?: string; limit: number; cursor?: string },
): Promise<{ optOuts: OptOutEntry[]; next: string | null }> {
  const pattern = toPattern(search.trim());
  if (pattern === null) return { optOuts: [], next: null };
  const after = cursor === '' ? null : readCursor(cursor);
  const rows = await readOptOutsAfter(pool, accountId, { after, pattern, limit: limit + 1 });
  const optOuts = rows.slice(0, limit);
  const last = optOuts.at(-1);
  return { optOuts, next: rows.length > limit && last ? writeCursor(last) : null };
}

function toPattern(search: string): string | null {
  if (/^[A-Za-z]{2}\.[A-Za-z0-9.]*$/.test(search)) return `${search.slice(0, 2).toUpperCase()}${search.slice(2)}%`;
  const digits = search.replace(/\D/g, '');
  return search !== '' && digits === '' ? null : `%${digits}%`;
}

function writeCursor({ kind, sender, phone }: OptOutKey): string {
  return Buffer.from(JSON.stringify([kind, sender, phone])).toString('base64url');
}

function readCursor(cursor: string): OptOutKey {
  try {
    const key = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
    const [kind, sender, phone] = Array.isArray(key) ? key : [];
    if ((kind === 'sms' || kind === 'whatsapp') && isStorable(sender) && isStorable(phone))
      return { kind, sender, phone };
  } catch {
    // Not JSON: refused below.
  }
  throw invalidField('cursor', 'must be `next` of the previous page');
}

function isStorable(text: unknown): text is string {
  return typeof text === 'string' && text.isWellFormed() && !text.includes('\0');
}

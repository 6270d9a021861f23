import { isUserId } from '../../ui/values/phone.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NUMBER = /^\*?[\d\s+().\-/]+\*?$/;

/** Interprets a search text as a message ID, a phone number or part of one, a user ID, or else a reference. */
export function toSearchQuery(searchText = ''): { messageId?: string; to?: string; reference?: string } {
  const trimmedText = searchText.trim();
  if (trimmedText === '') return {};
  if (UUID.test(trimmedText)) return { messageId: trimmedText };
  return NUMBER.test(trimmedText) || isUserId(trimmedText) ? { to: trimmedText } : { reference: trimmedText };
}

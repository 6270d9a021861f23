import { isUserId } from '../../ui/values/phone.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NUMBER = /^\*?[\d\s+().\-/]+\*?$/;

/** Interprets a search text: a message ID, a phone number or part of one, a user ID, or otherwise a reference. */
export function findQuery(typed = ''): { messageId?: string; to?: string; reference?: string } {
  const words = typed.trim();
  if (words === '') return {};
  if (UUID.test(words)) return { messageId: words };
  return NUMBER.test(words) || isUserId(words) ? { to: words } : { reference: words };
}

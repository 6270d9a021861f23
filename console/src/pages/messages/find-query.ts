import { isUserId } from '../../ui/values/phone.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NUMBER = /^\*?[\d\s+().\-/]+\*?$/;

/** What is searched for by what was typed: a message by its id, a number or a part of it, a user id, and otherwise a reference. */
export function findQuery(typed = ''): { messageId?: string; to?: string; reference?: string } {
  const words = typed.trim();
  if (words === '') return {};
  if (UUID.test(words)) return { messageId: words };
  return NUMBER.test(words) || isUserId(words) ? { to: words } : { reference: words };
}

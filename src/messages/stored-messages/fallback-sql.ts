/** A pending fallback SMS needs the text of its message. */
export const hasNoPendingFallback = (message: string) =>
  `NOT EXISTS (SELECT FROM fallbacks f WHERE f.message_id = ${message}.id AND f.next_look IS NOT NULL)`;

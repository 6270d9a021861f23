import { isUuid } from '../platform/ids.js';
import type { OutboundMessage } from './carrier.js';

const ATTEMPT_ID = /^(.{36})(?:-([1-9]\d{0,3}))?$/;

/**
 * Carriers may repeat this ID in reports. The first attempt has the message's ID, the next `<id>-2`, `<id>-3` and so
 * on.
 */
export function toAttemptId({ id, attempt }: Pick<OutboundMessage, 'id' | 'attempt'>): string {
  return attempt > 1 ? `${id}-${attempt}` : id;
}

/** Null for other texts. Earlier versions sent every attempt under the message ID alone. */
export function parseAttemptId(text: string): { messageId: string; attempt?: number } | null {
  const [, id = '', attempt] = ATTEMPT_ID.exec(text) ?? [];
  if (!isUuid(id)) return null;
  return { messageId: id.toLowerCase(), ...(attempt !== undefined && { attempt: Number(attempt) }) };
}

import { isUuid } from '../platform/ids.js';
import type { OutboundMessage } from './carrier.js';

const ATTEMPT_ID = /^(.{36})(?:-([1-9]\d{0,3}))?$/;

/**
 * Returns the ID of an attempt, which carriers may repeat in reports. The first attempt uses the message ID; later attempts
 * append `-2`, `-3` and so on.
 */
export function toAttemptId({ id, attempt }: Pick<OutboundMessage, 'id' | 'attempt'>): string {
  return attempt > 1 ? `${id}-${attempt}` : id;
}

/** Returns null for a text that is not an attempt ID. Earlier versions sent every attempt under the message ID alone. */
export function parseAttemptId(text: string): { messageId: string; attempt?: number } | null {
  const [, id = '', attempt] = ATTEMPT_ID.exec(text) ?? [];
  if (!isUuid(id)) return null;
  return { messageId: id.toLowerCase(), ...(attempt !== undefined && { attempt: Number(attempt) }) };
}

import type { Message } from '../../api/inbox.js';

/** A message with the reactions to it. */
export interface Reacted {
  message: Message;
  reactions: readonly string[];
}

/**
 * Attaches reactions to their messages. Only the last reaction of each side counts, and an empty one removes it. A reaction to
 * a message that is not loaded stays a separate entry.
 */
export function withReactions(messages: readonly Message[]): Reacted[] {
  const loadedIds = new Set(messages.map(({ carrierMessageId }) => carrierMessageId));
  const bySide = new Map<string, Map<string, string>>();
  const entries = messages.filter((message) => {
    const target = message.type === 'reaction' ? targetOf(message) : null;
    if (target === null || !loadedIds.has(target)) return true;
    const reactions = bySide.get(target) ?? new Map<string, string>();
    reactions.set(message.direction, emojiOf(message));
    bySide.set(target, reactions);
    return false;
  });
  return entries.map((message) => ({
    message,
    reactions: [...(bySide.get(message.carrierMessageId ?? '')?.values() ?? [])].filter((emoji) => emoji !== ''),
  }));
}

type Fields = Readonly<Record<string, unknown>>;

function targetOf({ payload }: Message): string | null {
  const { message_id: id }: Fields = payload ?? {};
  return typeof id === 'string' ? id : null;
}

function emojiOf({ payload }: Message): string {
  const { emoji }: Fields = payload ?? {};
  return typeof emoji === 'string' ? emoji : '';
}

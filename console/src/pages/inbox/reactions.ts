import type { Message } from '../../api/inbox.js';

export interface MessageWithReactions {
  message: Message;
  reactions: readonly string[];
}

/**
 * Only the last reaction of each side counts, and an empty reaction removes the earlier one. Reactions to messages that are not
 * loaded stay separate entries.
 */
export function withReactions(messages: readonly Message[]): MessageWithReactions[] {
  const loadedIds = new Set(messages.map(({ carrierMessageId }) => carrierMessageId));
  const bySide = new Map<string, Map<string, string>>();
  const entries = messages.filter((message) => {
    const target = message.type === 'reaction' ? reactionTarget(message) : null;
    if (target === null || !loadedIds.has(target)) return true;
    const reactions = bySide.get(target) ?? new Map<string, string>();
    reactions.set(message.direction, reactionEmoji(message));
    bySide.set(target, reactions);
    return false;
  });
  return entries.map((message) => ({
    message,
    reactions: [...(bySide.get(message.carrierMessageId ?? '')?.values() ?? [])].filter((emoji) => emoji !== ''),
  }));
}

type Fields = Readonly<Record<string, unknown>>;

function reactionTarget({ payload }: Message): string | null {
  const { message_id: id }: Fields = payload ?? {};
  return typeof id === 'string' ? id : null;
}

function reactionEmoji({ payload }: Message): string {
  const { emoji }: Fields = payload ?? {};
  return typeof emoji === 'string' ? emoji : '';
}

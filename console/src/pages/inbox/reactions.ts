import type { Message } from '../../api/inbox.js';

/** The messages of a conversation, each with the reactions to it; one to a message that is not loaded stands for itself. */
export interface Reacted {
  message: Message;
  reactions: readonly string[];
}

/** Of several reactions of one side to a message the last counts; an empty one takes it back. */
export function withReactions(messages: readonly Message[]): Reacted[] {
  const there = new Set(messages.map(({ carrierMessageId }) => carrierMessageId));
  const bySide = new Map<string, Map<string, string>>();
  const shown = messages.filter((message) => {
    const target = message.type === 'reaction' ? targetOf(message) : null;
    if (target === null || !there.has(target)) return true;
    const known = bySide.get(target) ?? new Map<string, string>();
    known.set(message.direction, emojiOf(message));
    bySide.set(target, known);
    return false;
  });
  return shown.map((message) => ({
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

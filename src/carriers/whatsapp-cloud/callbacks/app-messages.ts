import { createHash } from 'node:crypto';
import type {
  ActionReport,
  CorrectionReport,
  EchoReport,
  InboundReport,
  PreferenceReport,
} from '../../inbound-message.js';
import type { PersonIds } from '../../numbers/user-ids.js';
import { asObject, digitsOf, type Json, objects, readPerson, readSender, textOf, timeOf } from './fields.js';
import { bodyOf, payloadOf, readContent } from './messages.js';

/** What is told without the channel, which the callback names beside it. */
export type Echo = Omit<EchoReport, 'channel'>;
export type Correction = Omit<CorrectionReport, 'channel'>;
export type Preference = Omit<PreferenceReport, 'channel'>;
export type Action = Omit<ActionReport, 'channel'>;

/** Whether a message is no new one, but changes another ("Webhooks: edit", "Webhooks: revoke"). */
export function isCorrection({ type }: Json): boolean {
  return type === 'edit' || type === 'revoke';
}

/** Null where it does not say which message it changes, or to what. */
export function readCorrection(message: Json, now: Date, isOwn: boolean): Correction | null {
  const change = asObject(message.type === 'edit' ? message.edit : message.revoke);
  const carrierMessageId = textOf(change?.original_message_id);
  const at = timeOf(message.timestamp, now);
  if (carrierMessageId === null) return null;
  if (message.type === 'revoke') return { carrierMessageId, isOwn, edit: null, at };
  const edited = asObject(change?.message);
  const type = textOf(edited?.type);
  if (!edited || type === null) return null;
  return { carrierMessageId, isOwn, edit: { type, body: bodyOf(type, edited), payload: payloadOf(type, edited) }, at };
}

/**
 * A message that was sent from the app on the telephone ("Webhooks: smb_message_echoes"). A file of one of the past comes without
 * its recipient, whom the message that was told before names.
 */
export function readEcho(message: Json, contacts: readonly Json[], now: Date, isPast = false): Echo | null {
  const content = readContent(message, now);
  const to = idsOf([message.to], [message.to_user_id, message.to, message.to_parent_user_id]);
  if (!content || (!to && !isPast)) return null;
  const { at: sentAt, ...rest } = content;
  const contact = contacts.find(({ wa_id }) => to?.phone != null && digitsOf(wa_id) === to.phone);
  const name = textOf(asObject(contact?.profile)?.name) ?? '';
  const told = textOf(asObject(message.history_context)?.status) ?? '';
  return { ...rest, to, name, sentAt, status: STATUSES.get(told) ?? 'sent', isPast };
}

/** What became of a message of the past ("Webhooks: history"). */
const STATUSES: ReadonlyMap<string, Echo['status']> = new Map<string, Echo['status']>([
  ['DELIVERED', 'delivered'],
  ['READ', 'read'],
  ['PLAYED', 'read'],
  ['ERROR', 'failed'],
]);

/** A message of the past, of either direction: who has written it says which. */
export function readPast(
  message: Json,
  thread: Json,
  { own, contacts }: { own: string | null; contacts: readonly Json[] },
  now: Date,
): { echo: Echo } | { inbound: InboundReport } | null {
  const from = digitsOf(message.from);
  if (message.to !== undefined || message.to_user_id !== undefined || (own !== null && from === own)) {
    const to = message.to ?? message.to_user_id ?? thread.id;
    const echo = readEcho({ ...message, to }, contacts, now, true);
    return echo && { echo };
  }
  const content = readContent(message, now);
  const sender = readSender(message, contacts);
  if (!content || !sender) return null;
  const { at, ...rest } = content;
  return { inbound: { ...sender, ...rest, receivedAt: at, isPast: true } };
}

/**
 * A call by a contact. This version takes none, so each is one that was missed; as a message does, it opens the window ("Pricing:
 * customer service windows"). What begins and what ends a call has one id, and is one entry.
 */
export function readCall(call: Json, contacts: readonly Json[], now: Date): InboundReport | null {
  const carrierMessageId = textOf(call.id);
  const sender = readSender(call, contacts);
  if (!carrierMessageId || !sender || call.direction === 'BUSINESS_INITIATED') return null;
  const payload = { event: textOf(call.event), missed: true };
  return { ...sender, carrierMessageId, type: 'call', body: '', payload, receivedAt: timeOf(call.timestamp, now) };
}

/**
 * Something that a person did with a message, such as `marketing_messages_link_click` or `landing_page_view`; the set of types is open
 * ("Tracking click events"). It has no id, so that one is made of all that it says. Meta names the person in some of them only.
 * @returns null where it names no type, or nobody
 */
export function readAction(action: Json, contacts: readonly Json[], now: Date): Action | null {
  const { timestamp, from, from_user_id, from_parent_user_id, wa_id, user_id, parent_user_id, ...payload } = action;
  const named = {
    from: from ?? wa_id,
    from_user_id: from_user_id ?? user_id,
    from_parent_user_id: from_parent_user_id ?? parent_user_id,
  };
  const sender = readSender(named, contacts);
  if (textOf(action.action_type) === null || !sender) return null;
  const { from: phone, userId = null, parentUserId = null } = sender;
  const said = JSON.stringify([action, phone, userId, parentUserId]);
  const carrierMessageId = `user_action ${createHash('sha256').update(said).digest('hex')}`;
  return { phone, userId, parentUserId, carrierMessageId, type: 'user_action', payload, at: timeOf(timestamp, now) };
}

/** What a person told Meta of messages that it wants ("Webhooks: user_preferences"). */
export function readPreference(preference: Json, now: Date): Preference | null {
  const ids = idsOf([preference.wa_id], [preference.user_id, preference.wa_id, preference.parent_user_id]);
  const category = textOf(preference.category);
  const { value } = preference;
  if (!ids || category === null || (value !== 'stop' && value !== 'resume')) return null;
  return { ...ids, wantsNone: value === 'stop', category, at: timeOf(preference.timestamp, now) };
}

function idsOf(numbers: readonly unknown[], ids: readonly unknown[]): PersonIds | null {
  const person = readPerson(numbers, ids);
  if (!person) return null;
  const { from, userId = null, parentUserId = null } = person;
  return { phone: from, userId, parentUserId };
}

/** The threads of a history, each with its messages, and what of it is none. */
export function threadsOf(value: Json): { chunk: Json; thread: Json; messages: Json[] }[] {
  return objects(value.history).flatMap((chunk) =>
    objects(chunk.threads).map((thread) => ({ chunk, thread, messages: objects(thread.messages) })),
  );
}

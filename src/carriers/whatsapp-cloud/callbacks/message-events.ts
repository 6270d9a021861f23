import { createHash } from 'node:crypto';
import type {
  ActionReport,
  CorrectionReport,
  EchoReport,
  InboundReport,
  PreferenceReport,
} from '../../inbound-message.js';
import type { PersonIds } from '../../numbers/user-ids.js';
import {
  asObject,
  type Json,
  readObjects,
  readPerson,
  readPhoneNumber,
  readSender,
  readText,
  readTime,
} from './fields.js';
import { readBody, readContent, readPayload } from './messages.js';

export type Echo = Omit<EchoReport, 'channel'>;
export type Correction = Omit<CorrectionReport, 'channel'>;
export type Preference = Omit<PreferenceReport, 'channel'>;
export type Action = Omit<ActionReport, 'channel'>;

/** Corrections are edits and revocations (Meta, "Webhooks: edit" and "Webhooks: revoke"). */
export function isCorrection({ type }: Json): boolean {
  return type === 'edit' || type === 'revoke';
}

export function readCorrection(message: Json, now: Date, isOwn: boolean): Correction | null {
  const change = asObject(message.type === 'edit' ? message.edit : message.revoke);
  const carrierMessageId = readText(change?.original_message_id);
  const at = readTime(message.timestamp, now);
  if (carrierMessageId === null) return null;
  if (message.type === 'revoke') return { carrierMessageId, isOwn, edit: null, at };
  const edited = asObject(change?.message);
  const type = readText(edited?.type);
  if (!edited || type === null) return null;
  return {
    carrierMessageId,
    isOwn,
    edit: { type, body: readBody(type, edited), payload: readPayload(type, edited) },
    at,
  };
}

/**
 * Reads a message sent from the WhatsApp Business app (Meta, "Webhooks: smb_message_echoes"). A file of the chat
 * history has no recipient, because an earlier webhook reported its message.
 */
export function readEcho(message: Json, contacts: readonly Json[], now: Date, isPast = false): Echo | null {
  const content = readContent(message, now);
  const to = readPersonIds([message.to], [message.to_user_id, message.to, message.to_parent_user_id]);
  if (!content || (!to && !isPast)) return null;
  const { at: sentAt, ...contentFields } = content;
  const contact = contacts.find(({ wa_id }) => to?.phone != null && readPhoneNumber(wa_id) === to.phone);
  const name = readText(asObject(contact?.profile)?.name) ?? '';
  const historyStatus = readText(asObject(message.history_context)?.status) ?? '';
  return { ...contentFields, to, name, sentAt, status: HISTORY_STATUSES.get(historyStatus) ?? 'sent', isPast };
}

/** Meta, "Webhooks: history". */
const HISTORY_STATUSES: ReadonlyMap<string, Echo['status']> = new Map<string, Echo['status']>([
  ['DELIVERED', 'delivered'],
  ['READ', 'read'],
  ['PLAYED', 'read'],
  ['ERROR', 'failed'],
]);

export function readHistoryMessage(
  message: Json,
  thread: Json,
  { ownNumber, contacts }: { ownNumber: string | null; contacts: readonly Json[] },
  now: Date,
): { echo: Echo } | { inbound: InboundReport } | null {
  const from = readPhoneNumber(message.from);
  if (message.to !== undefined || message.to_user_id !== undefined || (ownNumber !== null && from === ownNumber)) {
    const to = message.to ?? message.to_user_id ?? thread.id;
    const echo = readEcho({ ...message, to }, contacts, now, true);
    return echo && { echo };
  }
  const content = readContent(message, now);
  const sender = readSender(message, contacts);
  if (!content || !sender) return null;
  const { at, ...contentFields } = content;
  return { inbound: { ...sender, ...contentFields, receivedAt: at, isPast: true } };
}

/**
 * Calls cannot be answered, but they open the reply window (Meta, "Pricing: customer service windows"). The start and
 * the end of a call share one ID and are stored once.
 */
export function readCall(call: Json, contacts: readonly Json[], now: Date): InboundReport | null {
  const carrierMessageId = readText(call.id);
  const sender = readSender(call, contacts);
  if (!carrierMessageId || !sender || call.direction === 'BUSINESS_INITIATED') return null;
  const payload = { event: readText(call.event), missed: true };
  return { ...sender, carrierMessageId, type: 'call', body: '', payload, receivedAt: readTime(call.timestamp, now) };
}

/**
 * Meta may add action types at any time (Meta, "Tracking click events"). Actions have no ID, so the ID is derived from
 * the content.
 */
export function readAction(action: Json, contacts: readonly Json[], now: Date): Action | null {
  const { timestamp, from, from_user_id, from_parent_user_id, wa_id, user_id, parent_user_id, ...payload } = action;
  const person = {
    from: from ?? wa_id,
    from_user_id: from_user_id ?? user_id,
    from_parent_user_id: from_parent_user_id ?? parent_user_id,
  };
  const sender = readSender(person, contacts);
  if (readText(action.action_type) === null || !sender) return null;
  const { from: phone, userId = null, parentUserId = null } = sender;
  const content = JSON.stringify([action, phone, userId, parentUserId]);
  const carrierMessageId = `user_action ${createHash('sha256').update(content).digest('hex')}`;
  return { phone, userId, parentUserId, carrierMessageId, type: 'user_action', payload, at: readTime(timestamp, now) };
}

/** Meta, "Webhooks: user_preferences". */
export function readPreference(preference: Json, now: Date): Preference | null {
  const ids = readPersonIds([preference.wa_id], [preference.user_id, preference.wa_id, preference.parent_user_id]);
  const category = readText(preference.category);
  const { value } = preference;
  if (!ids || category === null || (value !== 'stop' && value !== 'resume')) return null;
  return { ...ids, wantsNone: value === 'stop', category, at: readTime(preference.timestamp, now) };
}

function readPersonIds(numbers: readonly unknown[], ids: readonly unknown[]): PersonIds | null {
  const person = readPerson(numbers, ids);
  if (!person) return null;
  const { from, userId = null, parentUserId = null } = person;
  return { phone: from, userId, parentUserId };
}

export function readThreads(value: Json): { chunk: Json; thread: Json; messages: Json[] }[] {
  return readObjects(value.history).flatMap((chunk) =>
    readObjects(chunk.threads).map((thread) => ({ chunk, thread, messages: readObjects(thread.messages) })),
  );
}

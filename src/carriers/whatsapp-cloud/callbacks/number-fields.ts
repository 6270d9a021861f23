import { addCorrection } from './corrections.js';
import {
  asObject,
  isGroupMessage,
  type Json,
  readObjects,
  readPhoneNumber,
  readText,
  toMessageLabel,
  toSafeLabel,
} from './fields.js';
import { readCall, readEcho, readHistoryMessage, readPreference, readThreads } from './message-events.js';
import type { Change, Part } from './part.js';
import type { CallbackReport } from './report.js';

type FieldReader = (change: Change, value: Json, report: CallbackReport, now: Date) => void;

/** Functions that read the webhook fields about a single number, except `messages`. */
export const NUMBER_FIELDS: ReadonlyMap<unknown, FieldReader> = new Map<unknown, FieldReader>([
  ['smb_message_echoes', readEchoes],
  ['history', readHistory],
  ['calls', readCalls],
  ['user_preferences', readPreferences],
]);

function readEchoes(change: Change, value: Json, report: CallbackReport, now: Date): void {
  const contacts = readObjects(value.contacts);
  for (const item of toList(value.message_echoes)) {
    const message = asObject(item) ?? {};
    const part = change.buildItemPart(`echo:${toMessageLabel(message)}`, 'message_echoes', item);
    if (isGroupMessage(message)) report.unmatched.push({ part, reason: 'unknown' });
    else readOwnMessage(message, part, contacts, report, now);
  }
}

function readOwnMessage(message: Json, part: Part, contacts: readonly Json[], report: CallbackReport, now: Date): void {
  if (addCorrection(message, part, report, now, true)) return;
  const echo = readEcho(message, contacts, now);
  if (echo) report.echoes.push({ part, echo });
  else report.unmatched.push({ part, reason: 'incomplete' });
}

/** The media of an imported chat history arrive in later webhooks, outside any thread. */
function readHistory(change: Change, value: Json, report: CallbackReport, now: Date): void {
  const ownNumber = readPhoneNumber(readText(asObject(value.metadata)?.display_phone_number)?.replace(/[^\d+]/g, ''));
  const contacts = readObjects(value.contacts);
  const addMessage = (message: Json, thread: Json, part: Part) => {
    if (isGroupMessage(message)) {
      report.unmatched.push({ part, reason: 'unknown' });
      return;
    }
    const historyMessage = readHistoryMessage(message, thread, { ownNumber, contacts }, now);
    if (!historyMessage) report.unmatched.push({ part, reason: 'incomplete' });
    else if ('echo' in historyMessage) report.echoes.push({ part, echo: historyMessage.echo });
    else report.inbound.push({ part, report: historyMessage.inbound });
  };
  for (const { chunk, thread, messages } of readThreads(value)) {
    for (const message of messages) {
      const onlyThisMessage = (valueWithoutLists: Json) => ({
        ...valueWithoutLists,
        history: [{ ...chunk, threads: [{ ...thread, messages: [message] }] }],
      });
      addMessage(message, thread, change.buildPart(`history:${toMessageLabel(message)}`, onlyThisMessage));
    }
  }
  for (const chunk of toList(value.history)) {
    // A chunk without threads contains an error if the business declines to share its chats.
    if (Array.isArray(asObject(chunk)?.threads)) continue;
    report.unmatched.push({ part: change.buildItemPart('history:unknown', 'history', chunk), reason: 'unknown' });
  }
  for (const message of toList(value.messages)) {
    const messageObject = asObject(message) ?? {};
    addMessage(
      messageObject,
      {},
      change.buildItemPart(`history:${toMessageLabel(messageObject)}`, 'messages', message),
    );
  }
}

function readCalls(change: Change, value: Json, report: CallbackReport, now: Date): void {
  const contacts = readObjects(value.contacts);
  for (const item of toList(value.calls)) {
    const call = asObject(item) ?? {};
    const part = change.buildItemPart(`call:${toSafeLabel(call.event)}`, 'calls', item);
    const inbound = readCall(call, contacts, now);
    if (inbound) report.inbound.push({ part, report: inbound });
    else report.unmatched.push({ part, reason: call.direction === 'BUSINESS_INITIATED' ? 'unknown' : 'incomplete' });
  }
  for (const name of ['statuses', 'errors']) {
    for (const item of toList(value[name])) {
      report.unmatched.push({ part: change.buildItemPart(`call:${name}`, name, item), reason: 'unknown' });
    }
  }
}

function readPreferences(change: Change, value: Json, report: CallbackReport, now: Date): void {
  for (const item of toList(value.user_preferences)) {
    const preference = readPreference(asObject(item) ?? {}, now);
    const part = change.buildItemPart(`preference:${toSafeLabel(asObject(item)?.category)}`, 'user_preferences', item);
    if (preference) report.preferences.push({ part, preference });
    // Undocumented event values such as `signup` change nothing.
    else report.unmatched.push({ part, reason: 'incomplete' });
  }
}

function toList(list: unknown): unknown[] {
  return Array.isArray(list) ? list : [];
}

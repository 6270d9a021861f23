import { addCorrection } from './corrections.js';
import {
  asObject,
  isGroupMessage,
  type Json,
  messageLabel,
  readObjects,
  readPhoneNumber,
  readText,
  safeLabel,
} from './fields.js';
import { readCall, readEcho, readHistoryMessage, readPreference, readThreads } from './message-events.js';
import type { Change, Part } from './part.js';
import type { CallbackReport } from './report.js';

type FieldReader = (change: Change, value: Json, report: CallbackReport, now: Date) => void;

/** All fields about one number except `messages`. */
export const NUMBER_FIELDS: ReadonlyMap<unknown, FieldReader> = new Map<unknown, FieldReader>([
  ['smb_message_echoes', readEchoes],
  ['history', readHistory],
  ['calls', readCalls],
  ['user_preferences', readPreferences],
]);

function readEchoes(change: Change, value: Json, report: CallbackReport, now: Date): void {
  const contacts = readObjects(value.contacts);
  for (const item of asList(value.message_echoes)) {
    const message = asObject(item) ?? {};
    const part = change.itemPart(`echo:${messageLabel(message)}`, 'message_echoes', item);
    if (isGroupMessage(message)) report.unused.push({ part, reason: 'unknown' });
    else readOwnMessage(message, part, contacts, report, now);
  }
}

function readOwnMessage(message: Json, part: Part, contacts: readonly Json[], report: CallbackReport, now: Date): void {
  if (addCorrection(message, part, report, now, true)) return;
  const echo = readEcho(message, contacts, now);
  if (echo) report.echoes.push({ part, echo });
  else report.unused.push({ part, reason: 'incomplete' });
}

/** Media of the chat history arrive in later webhooks, outside any thread. */
function readHistory(change: Change, value: Json, report: CallbackReport, now: Date): void {
  const ownNumber = readPhoneNumber(readText(asObject(value.metadata)?.display_phone_number)?.replace(/[^\d+]/g, ''));
  const contacts = readObjects(value.contacts);
  const addMessage = (message: Json, thread: Json, part: Part) => {
    if (isGroupMessage(message)) {
      report.unused.push({ part, reason: 'unknown' });
      return;
    }
    const read = readHistoryMessage(message, thread, { ownNumber, contacts }, now);
    if (!read) report.unused.push({ part, reason: 'incomplete' });
    else if ('echo' in read) report.echoes.push({ part, echo: read.echo });
    else report.inbound.push({ part, report: read.inbound });
  };
  for (const { chunk, thread, messages } of readThreads(value)) {
    for (const message of messages) {
      const onlyThisMessage = (valueWithoutLists: Json) => ({
        ...valueWithoutLists,
        history: [{ ...chunk, threads: [{ ...thread, messages: [message] }] }],
      });
      addMessage(message, thread, change.buildPart(`history:${messageLabel(message)}`, onlyThisMessage));
    }
  }
  for (const chunk of asList(value.history)) {
    // If the business declines to share its chats, the chunk contains an error.
    if (Array.isArray(asObject(chunk)?.threads)) continue;
    report.unused.push({ part: change.itemPart('history:unknown', 'history', chunk), reason: 'unknown' });
  }
  for (const message of asList(value.messages)) {
    const read = asObject(message) ?? {};
    addMessage(read, {}, change.itemPart(`history:${messageLabel(read)}`, 'messages', message));
  }
}

function readCalls(change: Change, value: Json, report: CallbackReport, now: Date): void {
  const contacts = readObjects(value.contacts);
  for (const item of asList(value.calls)) {
    const call = asObject(item) ?? {};
    const part = change.itemPart(`call:${safeLabel(call.event)}`, 'calls', item);
    const inbound = readCall(call, contacts, now);
    if (inbound) report.inbound.push({ part, report: inbound });
    else report.unused.push({ part, reason: call.direction === 'BUSINESS_INITIATED' ? 'unknown' : 'incomplete' });
  }
  for (const name of ['statuses', 'errors']) {
    for (const item of asList(value[name])) {
      report.unused.push({ part: change.itemPart(`call:${name}`, name, item), reason: 'unknown' });
    }
  }
}

function readPreferences(change: Change, value: Json, report: CallbackReport, now: Date): void {
  for (const item of asList(value.user_preferences)) {
    const preference = readPreference(asObject(item) ?? {}, now);
    const part = change.itemPart(`preference:${safeLabel(asObject(item)?.category)}`, 'user_preferences', item);
    if (preference) report.preferences.push({ part, preference });
    // Undocumented values such as `signup` change nothing.
    else report.unused.push({ part, reason: 'incomplete' });
  }
}

function asList(list: unknown): unknown[] {
  return Array.isArray(list) ? list : [];
}

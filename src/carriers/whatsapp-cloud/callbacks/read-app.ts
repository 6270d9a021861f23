import { readCall, readEcho, readPast, readPreference, threadsOf } from './app-messages.js';
import { takeCorrection } from './corrections.js';
import { asObject, digitsOf, isOfGroup, type Json, messageName, objects, shortName, textOf } from './fields.js';
import type { Change, Part } from './part.js';
import type { CallbackReport } from './report.js';

/** Reads what a field holds into a report. */
type FieldReader = (change: Change, value: Json, report: CallbackReport, now: Date) => void;

/** Fields of one number beside `messages`. */
export const NUMBER_FIELDS: ReadonlyMap<unknown, FieldReader> = new Map<unknown, FieldReader>([
  ['smb_message_echoes', readEchoes],
  ['history', readHistory],
  ['calls', readCalls],
  ['user_preferences', readPreferences],
]);

function readEchoes(change: Change, value: Json, report: CallbackReport, now: Date): void {
  const contacts = objects(value.contacts);
  for (const item of itemsOf(value.message_echoes)) {
    const message = asObject(item) ?? {};
    const part = change.part(`echo:${messageName(message)}`, 'message_echoes', item);
    if (isOfGroup(message)) report.unused.push({ part, reason: 'unknown' });
    else readOwn(message, part, contacts, report, now);
  }
}

function readOwn(message: Json, part: Part, contacts: readonly Json[], report: CallbackReport, now: Date): void {
  if (takeCorrection(message, part, report, now, true)) return;
  const echo = readEcho(message, contacts, now);
  if (echo) report.echoes.push({ part, echo });
  else report.unused.push({ part, reason: 'incomplete' });
}

/** Chats of the time before; media of them come later, by themselves and beside no thread. */
function readHistory(change: Change, value: Json, report: CallbackReport, now: Date): void {
  const own = digitsOf(textOf(asObject(value.metadata)?.display_phone_number)?.replace(/[^\d+]/g, ''));
  const contacts = objects(value.contacts);
  const take = (message: Json, thread: Json, part: Part) => {
    if (isOfGroup(message)) {
      report.unused.push({ part, reason: 'unknown' });
      return;
    }
    const read = readPast(message, thread, { own, contacts }, now);
    if (!read) report.unused.push({ part, reason: 'incomplete' });
    else if ('echo' in read) report.echoes.push({ part, echo: read.echo });
    else report.inbound.push({ part, report: read.inbound });
  };
  for (const { chunk, thread, messages } of threadsOf(value)) {
    for (const message of messages) {
      const one = (rest: Json) => ({ ...rest, history: [{ ...chunk, threads: [{ ...thread, messages: [message] }] }] });
      take(message, thread, change.partOf(`history:${messageName(message)}`, one));
    }
  }
  for (const chunk of itemsOf(value.history)) {
    // Who does not share the chats is told as an error.
    if (Array.isArray(asObject(chunk)?.threads)) continue;
    report.unused.push({ part: change.part('history:unknown', 'history', chunk), reason: 'unknown' });
  }
  for (const message of itemsOf(value.messages)) {
    const read = asObject(message) ?? {};
    take(read, {}, change.part(`history:${messageName(read)}`, 'messages', message));
  }
}

function readCalls(change: Change, value: Json, report: CallbackReport, now: Date): void {
  const contacts = objects(value.contacts);
  for (const item of itemsOf(value.calls)) {
    const call = asObject(item) ?? {};
    const part = change.part(`call:${shortName(call.event)}`, 'calls', item);
    const inbound = readCall(call, contacts, now);
    if (inbound) report.inbound.push({ part, report: inbound });
    else report.unused.push({ part, reason: call.direction === 'BUSINESS_INITIATED' ? 'unknown' : 'incomplete' });
  }
  for (const name of ['statuses', 'errors']) {
    for (const item of itemsOf(value[name])) {
      report.unused.push({ part: change.part(`call:${name}`, name, item), reason: 'unknown' });
    }
  }
}

function readPreferences(change: Change, value: Json, report: CallbackReport, now: Date): void {
  for (const item of itemsOf(value.user_preferences)) {
    const preference = readPreference(asObject(item) ?? {}, now);
    const part = change.part(`preference:${shortName(asObject(item)?.category)}`, 'user_preferences', item);
    if (preference) report.preferences.push({ part, preference });
    // A value that Meta's documents do not name, such as `signup`, is kept and changes nothing.
    else report.unused.push({ part, reason: 'incomplete' });
  }
}

function itemsOf(list: unknown): unknown[] {
  return Array.isArray(list) ? list : [];
}

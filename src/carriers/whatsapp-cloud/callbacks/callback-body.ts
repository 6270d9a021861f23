import type { UnusedReason } from '../../callbacks/kept/unused-report.js';
import { isAccountField, readAccountNews, readTemplateNews } from './account.js';
import { readAction } from './app-messages.js';
import { takeCorrection } from './corrections.js';
import { asObject, codeOf, isOfGroup, type Json, messageName, objects, shortName, textOf } from './fields.js';
import { readMessage } from './messages.js';
import { type Change, type Part, readChange } from './part.js';
import { readChange as readIdChange, readRecipient, readRecipientIds, readUpdates } from './people.js';
import { NUMBER_FIELDS } from './read-app.js';
import type { CallbackReport } from './report.js';
import { isKnownStatus, readStatus } from './statuses.js';

/** What of a value is no report. */
const NO_REPORTS: ReadonlySet<string> = new Set(['messaging_product', 'metadata', 'contacts']);

/** Messages that no contact wrote: Meta tells of a changed number, say. They must not open the window for replies. */
const NO_MESSAGES: ReadonlySet<unknown> = new Set(['system']);

/**
 * Reads a callback (Meta, "Webhooks: messages"). What is missing or of another form is told as unused, and what else the
 * callback holds is not lost with it: each part of it is in exactly one of the lists.
 * @param body the parsed body
 * @param carrier name of the carrier that it came to
 * @param now when it came, for reports without a time
 */
export function readCallback(body: unknown, carrier: string, now: Date): CallbackReport {
  const report = emptyReport();
  const callback = asObject(body);
  if (!callback || !Array.isArray(callback.entry) || callback.entry.length === 0) {
    report.unused.push({ part: bare('body:unknown', null, () => body as object), reason: 'unknown' });
    return report;
  }
  for (const given of callback.entry) {
    const entry = asObject(given);
    if (!entry || !Array.isArray(entry.changes) || entry.changes.length === 0) {
      const whole = () => ({ ...callback, entry: [given] });
      report.unused.push({ part: bare('entry:unknown', entry, whole), reason: 'unknown' });
      continue;
    }
    for (const each of entry.changes) {
      const change = asObject(each);
      if (change) readField(readChange(callback.object, entry, change), report, carrier, now);
      else {
        const whole = () => ({ ...callback, entry: [{ ...entry, changes: [each] }] });
        report.unused.push({ part: bare('field:unknown', entry, whole), reason: 'incomplete' });
      }
    }
  }
  return report;
}

/** One in which nothing is told. */
export function emptyReport(): CallbackReport {
  const ofNumbers = {
    statuses: [],
    inbound: [],
    people: [],
    echoes: [],
    corrections: [],
    preferences: [],
    actions: [],
  };
  return { ...ofNumbers, templates: [], accounts: [], unused: [] };
}

function bare(kind: string, entry: Json | null | undefined, body: () => object): Part {
  const id = entry?.id;
  return { kind, phoneNumberId: null, businessAccountId: typeof id === 'string' ? id : null, body };
}

function readField(change: Change, report: CallbackReport, carrier: string, now: Date): void {
  const { field, value, whole } = change;
  if (value && whole.phoneNumberId !== null) {
    if (field === 'messages') {
      readMessages(change, report, carrier, now);
      return;
    }
    const before = countOf(report);
    NUMBER_FIELDS.get(field)?.(change, value, report, now);
    if (countOf(report) > before) return;
    if (field === 'user_id_update') {
      const people = readUpdates(value, now);
      for (const person of people) report.people.push({ part: whole, person, isBeside: false });
      if (people.length > 0) return;
    }
  }
  if (value && whole.businessAccountId !== null) {
    const template = readTemplateNews(field, value, change.time, now);
    const account = readAccountNews(field, value, change.time, now);
    if (template) report.templates.push({ part: whole, news: template });
    if (account) report.accounts.push({ part: whole, news: account });
    if (template || account) return;
  }
  const isKnown = KNOWN_FIELDS.has(field) || NUMBER_FIELDS.has(field) || isAccountField(field);
  report.unused.push({ part: whole, reason: isKnown ? 'incomplete' : 'unknown' });
}

const KNOWN_FIELDS: ReadonlySet<unknown> = new Set(['messages', 'user_id_update']);

function readMessages(change: Change, report: CallbackReport, carrier: string, now: Date): void {
  const value = change.value as Json;
  const contacts = objects(value.contacts);
  const before = countOf(report);
  const unused = (part: Part, reason: UnusedReason) => void report.unused.push({ part, reason });
  for (const [name, given] of Object.entries(value)) {
    if (NO_REPORTS.has(name)) continue;
    if (!Array.isArray(given)) {
      unused(
        change.partOf(`messages:${shortName(name)}`, (rest) => rest),
        'unknown',
      );
      continue;
    }
    for (const item of given) {
      const each = asObject(item) ?? {};
      if (name === 'statuses') {
        const part = change.part(`status:${shortName(each.status)}`, name, item);
        const receipt = readStatus(each, carrier, now);
        if (receipt) report.statuses.push({ part, receipt, recipient: readRecipientIds(each) });
        else if (each.status !== 'sent') unused(part, isKnownStatus(each.status) ? 'incomplete' : 'unknown');
        for (const person of readRecipient(each, now)) report.people.push({ part, person, isBeside: true });
      } else if (name === 'messages') {
        const part = change.part(`inbound:${messageName(each)}`, name, item);
        readOne(each, part, contacts, report, now);
      } else if (name === 'user_actions') {
        const part = change.part(`action:${shortName(each.action_type)}`, name, item);
        const action = readAction(each, contacts, now);
        if (action) report.actions.push({ part, action });
        else unused(part, textOf(each.action_type) === null ? 'incomplete' : 'no-contact');
      } else if (name === 'errors') {
        const code = codeOf(each.code) ?? 'unknown';
        unused(change.part(`error:${code}`, name, item), 'unknown');
      } else unused(change.part(`messages:${shortName(name)}`, name, item), 'unknown');
    }
  }
  // A known `sent` leaves nothing behind, and is there.
  const isEmpty = countOf(report) === before && !Array.isArray(value.statuses);
  if (isEmpty) unused(change.whole, 'incomplete');
}

function readOne(message: Json, part: Part, contacts: readonly Json[], report: CallbackReport, now: Date): void {
  const changes = readIdChange(message, now);
  for (const person of changes) report.people.push({ part, person, isBeside: false });
  if (changes.length > 0) return;
  // Taken for one to the business, it would open the window, and a STOP in it or an answer to it would be of another chat.
  if (isOfGroup(message)) {
    report.unused.push({ part, reason: 'unknown' });
    return;
  }
  if (takeCorrection(message, part, report, now, false)) return;
  const inbound = NO_MESSAGES.has(message.type) ? null : readMessage(message, contacts, now);
  if (inbound) report.inbound.push({ part, report: inbound });
  else report.unused.push({ part, reason: NO_MESSAGES.has(message.type) ? 'unknown' : 'incomplete' });
}

function countOf(report: CallbackReport): number {
  return Object.values(report).reduce((sum, list) => sum + list.length, 0);
}

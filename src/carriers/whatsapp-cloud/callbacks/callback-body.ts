import type { UnmatchedReason } from '../../callbacks/unmatched/unmatched-report.js';
import { readErrorCode } from '../send/errors.js';
import { isAccountField, readAccountReport, readTemplateReport } from './account-fields.js';
import { addCorrection } from './corrections.js';
import { asObject, isGroupMessage, type Json, readObjects, readText, toMessageLabel, toSafeLabel } from './fields.js';
import { readAction } from './message-events.js';
import { readMessage } from './messages.js';
import { NUMBER_FIELDS } from './number-fields.js';
import { type Change, type Part, readChange } from './part.js';
import { readIdChange, readIdUpdates, readRecipientIds, readRecipientLink } from './person-ids.js';
import type { CallbackReport } from './report.js';
import { isKnownStatus, readStatus } from './statuses.js';

const NON_REPORT_MEMBERS: ReadonlySet<string> = new Set(['messaging_product', 'metadata', 'contacts']);

/** Messages of these types, such as Meta's notice of a changed number, must not open the reply window. */
const NON_CONTACT_TYPES: ReadonlySet<unknown> = new Set(['system']);

/**
 * Sorts every part of a webhook into exactly one list (Meta, "Webhooks: messages"). Reports without a timestamp get the
 * time `now`.
 */
export function readCallback(body: unknown, carrier: string, now: Date): CallbackReport {
  const report = emptyReport();
  const callback = asObject(body);
  if (!callback || !Array.isArray(callback.entry) || callback.entry.length === 0) {
    report.unmatched.push({ part: createWholePart('body:unknown', null, () => body as object), reason: 'unknown' });
    return report;
  }
  for (const item of callback.entry) {
    const entry = asObject(item);
    if (!entry || !Array.isArray(entry.changes) || entry.changes.length === 0) {
      const whole = () => ({ ...callback, entry: [item] });
      report.unmatched.push({ part: createWholePart('entry:unknown', entry, whole), reason: 'unknown' });
      continue;
    }
    for (const item of entry.changes) {
      const change = asObject(item);
      if (change) readField(readChange(callback.object, entry, change), report, carrier, now);
      else {
        const whole = () => ({ ...callback, entry: [{ ...entry, changes: [item] }] });
        report.unmatched.push({ part: createWholePart('field:unknown', entry, whole), reason: 'incomplete' });
      }
    }
  }
  return report;
}

export function emptyReport(): CallbackReport {
  const perNumber = {
    statuses: [],
    inbound: [],
    people: [],
    echoes: [],
    corrections: [],
    preferences: [],
    actions: [],
  };
  return { ...perNumber, templates: [], accounts: [], unmatched: [] };
}

function createWholePart(kind: string, entry: Json | null | undefined, body: () => object): Part {
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
    const countBefore = countReports(report);
    NUMBER_FIELDS.get(field)?.(change, value, report, now);
    if (countReports(report) > countBefore) return;
    if (field === 'user_id_update') {
      const people = readIdUpdates(value, now);
      for (const person of people) report.people.push({ part: whole, person, isFromStatus: false });
      if (people.length > 0) return;
    }
  }
  if (value && whole.businessAccountId !== null) {
    const template = readTemplateReport(field, value, change.time, now);
    const account = readAccountReport(field, value, change.time, now);
    if (template) report.templates.push({ part: whole, change: template });
    if (account) report.accounts.push({ part: whole, accountReport: account });
    if (template || account) return;
  }
  const isKnown = KNOWN_FIELDS.has(field) || NUMBER_FIELDS.has(field) || isAccountField(field);
  report.unmatched.push({ part: whole, reason: isKnown ? 'incomplete' : 'unknown' });
}

const KNOWN_FIELDS: ReadonlySet<unknown> = new Set(['messages', 'user_id_update']);

function readMessages(change: Change, report: CallbackReport, carrier: string, now: Date): void {
  const value = change.value as Json;
  const contacts = readObjects(value.contacts);
  const countBefore = countReports(report);
  const addUnmatched = (part: Part, reason: UnmatchedReason) => void report.unmatched.push({ part, reason });
  for (const [name, member] of Object.entries(value)) {
    if (NON_REPORT_MEMBERS.has(name)) continue;
    if (!Array.isArray(member)) {
      addUnmatched(
        change.buildPart(`messages:${toSafeLabel(name)}`, (valueWithoutLists) => valueWithoutLists),
        'unknown',
      );
      continue;
    }
    for (const item of member) {
      const itemObject = asObject(item) ?? {};
      if (name === 'statuses') {
        const part = change.buildItemPart(`status:${toSafeLabel(itemObject.status)}`, name, item);
        const receipt = readStatus(itemObject, carrier, now);
        if (receipt) report.statuses.push({ part, receipt, recipient: readRecipientIds(itemObject) });
        else if (itemObject.status !== 'sent')
          addUnmatched(part, isKnownStatus(itemObject.status) ? 'incomplete' : 'unknown');
        for (const person of readRecipientLink(itemObject, now))
          report.people.push({ part, person, isFromStatus: true });
      } else if (name === 'messages') {
        const part = change.buildItemPart(`inbound:${toMessageLabel(itemObject)}`, name, item);
        readInbound(itemObject, part, contacts, report, now);
      } else if (name === 'user_actions') {
        const part = change.buildItemPart(`action:${toSafeLabel(itemObject.action_type)}`, name, item);
        const action = readAction(itemObject, contacts, now);
        if (action) report.actions.push({ part, action });
        else addUnmatched(part, readText(itemObject.action_type) === null ? 'incomplete' : 'no-contact');
      } else if (name === 'errors') {
        const code = readErrorCode(itemObject.code) ?? 'unknown';
        addUnmatched(change.buildItemPart(`error:${code}`, name, item), 'unknown');
      } else addUnmatched(change.buildItemPart(`messages:${toSafeLabel(name)}`, name, item), 'unknown');
    }
  }
  // A status `sent` adds no report, but does not count as unmatched.
  const isEmpty = countReports(report) === countBefore && !Array.isArray(value.statuses);
  if (isEmpty) addUnmatched(change.whole, 'incomplete');
}

function readInbound(message: Json, part: Part, contacts: readonly Json[], report: CallbackReport, now: Date): void {
  const changes = readIdChange(message, now);
  for (const person of changes) report.people.push({ part, person, isFromStatus: false });
  if (changes.length > 0) return;
  // Group messages are not stored as ordinary messages, which would open the reply window and could opt the sender out.
  if (isGroupMessage(message)) {
    report.unmatched.push({ part, reason: 'unknown' });
    return;
  }
  if (addCorrection(message, part, report, now, false)) return;
  const inbound = NON_CONTACT_TYPES.has(message.type) ? null : readMessage(message, contacts, now);
  if (inbound) report.inbound.push({ part, report: inbound });
  else report.unmatched.push({ part, reason: NON_CONTACT_TYPES.has(message.type) ? 'unknown' : 'incomplete' });
}

function countReports(report: CallbackReport): number {
  return Object.values(report).reduce((sum, list) => sum + list.length, 0);
}

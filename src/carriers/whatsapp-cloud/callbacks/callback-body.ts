import { isUuid } from '../../../platform/ids.js';
import type { Receipt, ReceiptStatus } from '../../carrier.js';
import type { InboundReport, PersonReport } from '../../inbound-message.js';
import { asObject, type Json, objects, readSender, shortName, textOf, timeOf } from './fields.js';
import { readChange, readRecipient, readUpdates } from './people.js';

/** A message from a contact, and the number that it came to. */
export interface CloudInbound {
  phoneNumberId: string;
  report: InboundReport;
}

/** A status of a message, and the number that sent it. */
export interface CloudStatus {
  phoneNumberId: string;
  receipt: Receipt;
}

/** What is said of a person's ids, and the number that it was said to. */
export interface CloudPerson {
  phoneNumberId: string;
  person: Omit<PersonReport, 'channel'>;
}

/** What a callback of Meta's reports. */
export interface CallbackReport {
  statuses: CloudStatus[];
  inbound: CloudInbound[];
  people: CloudPerson[];
  /** Reports that are not used, or cannot be, by kind: `field:account_update`, `status:sent`, `error:130429` … */
  ignored: Record<string, number>;
}

/** Meta's status of a message, where it is one of ours. `sent` is known from the submission. */
const STATUSES: ReadonlyMap<unknown, ReceiptStatus> = new Map([
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['failed', 'failed'],
]);

/** Messages that no contact wrote: Meta tells of a changed number, say. They must not open the window for replies. */
const NO_MESSAGES: ReadonlySet<unknown> = new Set(['system']);

/**
 * Reads a callback (Meta, "Webhooks: messages"). Whatever is missing or of another form is left out, for what else the
 * callback holds must not be lost with it.
 * @param body the parsed body
 * @param carrier name of the carrier that it came to
 * @param now when it came, for reports without a time
 */
export function readCallback(body: unknown, carrier: string, now: Date): CallbackReport {
  const report: CallbackReport = { statuses: [], inbound: [], people: [], ignored: {} };
  const ignore = (kind: string) => {
    report.ignored[kind] = (report.ignored[kind] ?? 0) + 1;
  };
  for (const entry of objects(asObject(body)?.entry)) {
    for (const { field, value } of objects(entry.changes)) {
      const given = asObject(value);
      const phoneNumberId = textOf(asObject(given?.metadata)?.phone_number_id);
      const tell = (people: readonly CloudPerson['person'][]) => {
        for (const person of people) report.people.push({ phoneNumberId: phoneNumberId ?? '', person });
      };
      if (field === 'user_id_update' && given && phoneNumberId) {
        tell(readUpdates(given, now));
        continue;
      }
      if (field !== 'messages' || !given || !phoneNumberId) {
        ignore(`field:${shortName(field)}`);
        continue;
      }
      for (const { code } of objects(given.errors)) ignore(`error:${typeof code === 'number' ? code : 'unknown'}`);
      for (const status of objects(given.statuses)) {
        const receipt = readStatus(status, carrier, now);
        if (receipt) report.statuses.push({ phoneNumberId, receipt });
        else ignore(`status:${shortName(status.status)}`);
        tell(readRecipient(status, now));
      }
      const contacts = objects(given.contacts);
      for (const message of objects(given.messages)) {
        const changes = readChange(message, now);
        tell(changes);
        if (changes.length > 0) continue;
        const inbound = NO_MESSAGES.has(message.type) ? null : readMessage(message, contacts, now);
        if (inbound) report.inbound.push({ phoneNumberId, report: inbound });
        else ignore(`inbound:${shortName(message.type)}`);
      }
    }
  }
  return report;
}

function readStatus(status: Json, carrier: string, now: Date): Receipt | null {
  const carrierMessageId = textOf(status.id);
  const known = STATUSES.get(status.status);
  if (!known || !carrierMessageId) return null;
  const ours = textOf(status.biz_opaque_callback_data);
  const [error] = objects(status.errors);
  return {
    carrier,
    carrierMessageId,
    ...(ours !== null && isUuid(ours) && { messageId: ours.toLowerCase() }),
    status: known,
    occurredAt: timeOf(status.timestamp, now),
    ...(known === 'failed' && {
      errorCode: typeof error?.code === 'number' ? String(error.code) : 'FAILED',
      errorMessage: describe(error),
    }),
  };
}

function describe(error: Json | undefined): string {
  const said = textOf(asObject(error?.error_data)?.details) ?? textOf(error?.message) ?? textOf(error?.title);
  return said ?? 'Meta reports that the message failed, and not why.';
}

function readMessage(message: Json, contacts: readonly Json[], now: Date): InboundReport | null {
  const carrierMessageId = textOf(message.id);
  const type = textOf(message.type);
  const sender = readSender(message, contacts);
  if (!carrierMessageId || !type || !sender) return null;
  return {
    carrierMessageId,
    ...sender,
    type,
    body: bodyOf(type, message),
    payload: payloadOf(type, message),
    receivedAt: timeOf(message.timestamp, now),
  };
}

/** What stands under the type's name, which may be the name of something that every object has. */
function nodeOf(type: string, message: Json): unknown {
  return Object.hasOwn(message, type) ? message[type] : undefined;
}

/** Text, caption or button text. */
function bodyOf(type: string, message: Json): string {
  const node = asObject(nodeOf(type, message));
  switch (type) {
    case 'text':
      return textOf(node?.body) ?? '';
    case 'button':
    case 'order':
      return textOf(node?.text) ?? '';
    case 'interactive': {
      const reply = asObject(node?.button_reply) ?? asObject(node?.list_reply);
      return textOf(reply?.title) ?? textOf(asObject(node?.nfm_reply)?.body) ?? '';
    }
    default:
      return textOf(node?.caption) ?? '';
  }
}

/** What stands under the type's name, and beside it what the message refers to: a quoted message, or an advertisement. */
function payloadOf(type: string, message: Json): object {
  const node = nodeOf(type, message);
  const own = Array.isArray(node) ? { [type]: node } : (asObject(node) ?? {});
  return {
    ...own,
    ...(asObject(message.context) && { context: message.context }),
    ...(asObject(message.referral) && { referral: message.referral }),
    ...(Array.isArray(message.errors) && { errors: message.errors }),
  };
}

import type { PersonReport } from '../../inbound-message.js';
import type { PersonIds } from '../../numbers/user-ids.js';
import { asObject, type Json, objects, readPerson, textOf, timeOf } from './fields.js';

/** What is said of a person's ids; of which number of ours it is, the callback says beside it. */
type Person = Omit<PersonReport, 'channel'>;

/** Of system messages those that tell of other ids ("Webhooks: system messages"). */
const CHANGES: ReadonlySet<unknown> = new Set(['user_changed_number', 'user_changed_user_id']);

/** A status tells the number and the user id of its recipient together, where Meta may tell both. */
export function readRecipient(status: Json, now: Date): Person[] {
  const ids = readRecipientIds(status);
  return ids.phone === null || ids.userId === null ? [] : [{ ...ids, at: timeOf(status.timestamp, now) }];
}

/** The person that a status is about, as far as it names one. The status of a failure may name nobody. */
export function readRecipientIds(status: Json): PersonIds {
  return idsOf([status.recipient_id], [status.recipient_user_id, status.recipient_id, status.recipient_parent_user_id]);
}

/**
 * A system message that tells of a new number or user id. The former ones are those that it comes from; where it names none,
 * they stand in its text, "User … changed from … to …". What stands there instead is the person's own name, which may be
 * written like that too: the text counts for what no field tells, and its end alone.
 */
export function readChange(message: Json, now: Date): Person[] {
  const system = message.type === 'system' ? asObject(message.system) : undefined;
  if (!system || !CHANGES.has(system.type)) return [];
  const written = /^.* changed from (\S+) to (\S+)\s*$/s.exec(textOf(system.body) ?? '') ?? [];
  const before = idsOf(
    [message.from, system.customer],
    [message.from_user_id, message.from, system.previous_user_id, message.from_parent_user_id],
  );
  const after = idsOf([system.new_wa_id, system.wa_id], [system.user_id, system.wa_id, system.parent_user_id]);
  const isNumber = system.type === 'user_changed_number';
  const orWritten = (ids: PersonIds, text: unknown) =>
    isNobody(ids) ? idsOf(isNumber ? [text] : [], isNumber ? [] : [text]) : ids;
  return changed(orWritten(before, written[1]), orWritten(after, written[2]), timeOf(message.timestamp, now));
}

/** The field `user_id_update`, which tells of a new user id and links it with the one before. */
export function readUpdates(value: Json, now: Date): Person[] {
  return objects(value.user_id_update).flatMap((update) => {
    const user = asObject(update.user_id);
    const parent = asObject(update.parent_user_id);
    const before = idsOf([], [user?.previous, parent?.previous]);
    const after = idsOf([], [user?.current, parent?.current]);
    return changed(before, after, timeOf(update.timestamp, now));
  });
}

function changed(before: PersonIds, now: PersonIds, at: Date): Person[] {
  return isNobody(before) || isNobody(now) ? [] : [{ ...now, before, at }];
}

/** An id of linked portfolios alone says of nobody that they became another. */
function isNobody({ phone, userId }: PersonIds): boolean {
  return phone === null && userId === null;
}

function idsOf(numbers: readonly unknown[], ids: readonly unknown[]): PersonIds {
  const { from = null, userId = null, parentUserId = null } = readPerson(numbers, ids) ?? {};
  return { phone: from, userId, parentUserId };
}

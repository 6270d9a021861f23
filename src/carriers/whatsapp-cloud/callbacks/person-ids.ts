import type { PersonReport } from '../../inbound-message.js';
import type { PersonIds } from '../../numbers/user-ids.js';
import { asObject, type Json, readObjects, readPerson, readText, readTime } from './fields.js';

type Person = Omit<PersonReport, 'channel'>;

/** System messages of these types report a new number or user ID (Meta, "Webhooks: system messages"). */
const ID_CHANGE_TYPES: ReadonlySet<unknown> = new Set(['user_changed_number', 'user_changed_user_id']);

/** If a status contains both the number and the user ID of its recipient, both belong to the same person. */
export function readRecipientLink(status: Json, now: Date): Person[] {
  const ids = readRecipientIds(status);
  return ids.phone === null || ids.userId === null ? [] : [{ ...ids, at: readTime(status.timestamp, now) }];
}

/** A failed status may not name its recipient. */
export function readRecipientIds(status: Json): PersonIds {
  return readPersonIds(
    [status.recipient_id],
    [status.recipient_user_id, status.recipient_id, status.recipient_parent_user_id],
  );
}

/**
 * Missing fields are read from the text "User … changed from … to …". Only the end of the text counts, because the name
 * after "User" may contain such a phrase.
 */
export function readIdChange(message: Json, now: Date): Person[] {
  const system = message.type === 'system' ? asObject(message.system) : undefined;
  if (!system || !ID_CHANGE_TYPES.has(system.type)) return [];
  const textIds = /^.* changed from (\S+) to (\S+)\s*$/s.exec(readText(system.body) ?? '') ?? [];
  const before = readPersonIds(
    [message.from, system.customer],
    [message.from_user_id, message.from, system.previous_user_id, message.from_parent_user_id],
  );
  const after = readPersonIds([system.new_wa_id, system.wa_id], [system.user_id, system.wa_id, system.parent_user_id]);
  const isNumber = system.type === 'user_changed_number';
  const fallBackToText = (ids: PersonIds, text: unknown) =>
    isNobody(ids) ? readPersonIds(isNumber ? [text] : [], isNumber ? [] : [text]) : ids;
  return buildIdChange(
    fallBackToText(before, textIds[1]),
    fallBackToText(after, textIds[2]),
    readTime(message.timestamp, now),
  );
}

export function readIdUpdates(value: Json, now: Date): Person[] {
  return readObjects(value.user_id_update).flatMap((update) => {
    const user = asObject(update.user_id);
    const parent = asObject(update.parent_user_id);
    const before = readPersonIds([], [user?.previous, parent?.previous]);
    const after = readPersonIds([], [user?.current, parent?.current]);
    return buildIdChange(before, after, readTime(update.timestamp, now));
  });
}

function buildIdChange(before: PersonIds, after: PersonIds, at: Date): Person[] {
  return isNobody(before) || isNobody(after) ? [] : [{ ...after, before, at }];
}

/** A parent user ID alone does not identify a person, because several people can share it. */
function isNobody({ phone, userId }: PersonIds): boolean {
  return phone === null && userId === null;
}

function readPersonIds(numbers: readonly unknown[], ids: readonly unknown[]): PersonIds {
  const { from = null, userId = null, parentUserId = null } = readPerson(numbers, ids) ?? {};
  return { phone: from, userId, parentUserId };
}

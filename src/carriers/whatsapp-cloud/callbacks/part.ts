import { asObject, type Json, readObjects, readText, toSafeLabel } from './fields.js';

export interface Part {
  /** Kind of the part, made up only of Meta's identifiers, such as `field:account_update`, `inbound:text` or `status:read`. */
  kind: string;
  /** Meta's ID for the phone number. */
  phoneNumberId: string | null;
  businessAccountId: string | null;
  /** Builds a webhook body with only this part, which can be parsed like the original webhook. */
  body(): object;
}

export interface Change {
  field: unknown;
  value: Json | undefined;
  /** When Meta created the webhook, in Unix seconds. */
  time: unknown;
  whole: Part;
  /** Builds a part that contains a single item of a list. */
  buildItemPart(kind: string, list: string, item: unknown): Part;
  buildPart(kind: string, buildValue: (valueWithoutLists: Json) => object): Part;
}

/** A webhook may have a thousand contacts, but a part contains only the contacts that these fields name. */
const PERSON_MEMBERS = [
  'from',
  'from_user_id',
  'to',
  'to_user_id',
  'recipient_id',
  'recipient_user_id',
  'wa_id',
  'user_id',
];

export function readChange(object: unknown, entry: Json, change: Json): Change {
  const { field } = change;
  const value = asObject(change.value);
  const { changes: _changes, ...envelope } = entry;
  const common = {
    phoneNumberId: readText(asObject(value?.metadata)?.phone_number_id),
    businessAccountId: readText(entry.id),
  };
  const callback = (partValue: unknown) => ({
    object,
    entry: [{ ...envelope, changes: [{ ...change, value: partValue }] }],
  });
  const valueWithoutLists = () =>
    Object.fromEntries(Object.entries(value ?? {}).filter(([, member]) => !Array.isArray(member)));
  return {
    field,
    value,
    time: entry.time,
    whole: { kind: `field:${toSafeLabel(field)}`, ...common, body: () => callback(change.value) },
    buildItemPart: (kind, list, item) => ({
      kind,
      ...common,
      body: () => {
        const contacts = selectContacts(readObjects(value?.contacts), asObject(item) ?? {});
        return callback({ ...valueWithoutLists(), ...(contacts.length > 0 && { contacts }), [list]: [item] });
      },
    }),
    buildPart: (kind, buildValue) => ({ kind, ...common, body: () => callback(buildValue(valueWithoutLists())) }),
  };
}

/** Other contacts are removed, but a single contact stays, because the parser assumes that a single contact is the sender. */
function selectContacts(contacts: readonly Json[], item: Json): readonly Json[] {
  if (contacts.length <= 1) return contacts;
  const personIds = new Set(PERSON_MEMBERS.map((name) => item[name]).filter((id) => typeof id === 'string'));
  return contacts.filter(({ wa_id, user_id }) => personIds.has(wa_id as string) || personIds.has(user_id as string));
}

import { asObject, type Json, objects, shortName, textOf } from './fields.js';

/** What a callback tells of one thing. */
export interface Part {
  /** What it is, in words of Meta alone: `field:account_update`, `inbound:text`, `status:read`. */
  kind: string;
  /** The number that it is about, where it names one. */
  phoneNumberId: string | null;
  /** The WhatsApp Business account that it is about. */
  businessAccountId: string | null;
  /** A callback of this alone, which is read as the whole one was. */
  body(): object;
}

/** A change of a callback, of which parts are made. */
export interface Change {
  field: unknown;
  /** Undefined where it is no object. */
  value: Json | undefined;
  /** Seconds since 1970 at which Meta made the callback. */
  time: unknown;
  /** The change as a whole. */
  whole: Part;
  /** A part of it: what a list of its value holds, or what else a function makes of the value. */
  part(kind: string, list: string, item: unknown): Part;
  partOf(kind: string, value: (rest: Json) => object): Part;
}

/** Those of whom a part tells: the contacts of a callback may be a thousand, and a part is kept with its own. */
const NAMES = ['from', 'from_user_id', 'to', 'to_user_id', 'recipient_id', 'recipient_user_id', 'wa_id', 'user_id'];

/** A change of an entry of a callback. */
export function readChange(object: unknown, entry: Json, change: Json): Change {
  const { field } = change;
  const value = asObject(change.value);
  const { changes: _changes, ...envelope } = entry;
  const common = {
    phoneNumberId: textOf(asObject(value?.metadata)?.phone_number_id),
    businessAccountId: textOf(entry.id),
  };
  const callback = (own: unknown) => ({ object, entry: [{ ...envelope, changes: [{ ...change, value: own }] }] });
  const rest = () => Object.fromEntries(Object.entries(value ?? {}).filter(([, each]) => !Array.isArray(each)));
  return {
    field,
    value,
    time: entry.time,
    whole: { kind: `field:${shortName(field)}`, ...common, body: () => callback(change.value) },
    part: (kind, list, item) => ({
      kind,
      ...common,
      body: () => {
        const contacts = contactsOf(objects(value?.contacts), asObject(item) ?? {});
        return callback({ ...rest(), ...(contacts.length > 0 && { contacts }), [list]: [item] });
      },
    }),
    partOf: (kind, own) => ({ kind, ...common, body: () => callback(own(rest())) }),
  };
}

/** Of one contact it is, as when it is read; of several those that it names. */
function contactsOf(contacts: readonly Json[], item: Json): readonly Json[] {
  if (contacts.length <= 1) return contacts;
  const named = new Set(NAMES.map((name) => item[name]).filter((each) => typeof each === 'string'));
  return contacts.filter(({ wa_id, user_id }) => named.has(wa_id as string) || named.has(user_id as string));
}

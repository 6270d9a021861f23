import { FIRST_ID } from '../../platform/ids.js';
import { emptyInbound } from '../inbound/erase-store.js';
import { countRuns, findInbound } from './contacts-store.js';
import { deleteContact } from './delete-contact.js';
import { type Place, place, slices } from './place.js';

/** What the person wrote. */
export const inbound = place<string>('inbound messages', {
  find: async function* (pool, { contacts }) {
    for (const { conversationId } of contacts) {
      if (conversationId) yield* slices(FIRST_ID, (after) => findInbound(pool, conversationId, after));
    }
  },
  erase: (client, _person, ids) => emptyInbound(client, ids),
});

/** Runs of automations for the contact. They leave with it. */
export const runs: Place = {
  kind: 'automation runs',
  visit: ({ pool }, { contacts }) =>
    countRuns(
      pool,
      contacts.map(({ id }) => id),
    ),
};

/**
 * The contacts, with memberships, conversations and runs. They go last: until then they lead to what is left, should the
 * command be interrupted.
 */
export const contacts: Place = {
  kind: 'contacts',
  visit: async (options, { contacts }, { erases, onRows }) => {
    for (const contact of contacts) if (erases) await deleteContact(options, contact, { tellsIdAlone: true });
    if (contacts.length > 0) onRows?.('contacts', contacts.length);
    return contacts.length;
  },
};

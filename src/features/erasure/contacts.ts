import { FIRST_ID } from '../../platform/ids.js';
import { emptyInbound } from '../inbound/erase-store.js';
import { countRuns, findInbound } from './contacts-store.js';
import { deleteContact } from './delete-contact.js';
import { makeTrace, readSlices, type Trace } from './trace.js';

export const inboundMessages = makeTrace<string>('inbound messages', {
  find: async function* (pool, { contacts }) {
    for (const { conversationId } of contacts) {
      if (conversationId) yield* readSlices(FIRST_ID, (id) => findInbound(pool, conversationId, id));
    }
  },
  erase: (client, _person, ids) => emptyInbound(client, ids),
});

export const automationRuns: Trace = {
  kind: 'automation runs',
  visit: ({ pool }, { contacts }) =>
    countRuns(
      pool,
      contacts.map(({ id }) => id),
    ),
};

/** Contacts must be erased last, because an interrupted erasure finds the remaining rows through them. */
export const contacts: Trace = {
  kind: 'contacts',
  visit: async (options, { contacts }, { erases, onRows }) => {
    for (const contact of contacts) if (erases) await deleteContact(options, contact, { reportsIdOnly: true });
    if (contacts.length > 0) onRows?.('contacts', contacts.length);
    return contacts.length;
  },
};

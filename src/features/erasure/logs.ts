import { forgetDeliveries } from '../webhooks/erase-store.js';
import { blankAuditLines, blankRequests, findAuditLines, findDeliveries, findRequests } from './logs-store.js';
import { place, slices } from './place.js';

/** Events of webhooks and callback URLs: those that wait, and the log of those that were delivered. */
export const deliveries = place<string>('webhook events', {
  find: (pool, person, floor) => slices(floor, (after) => findDeliveries(pool, person, after)),
  erase: (client, person, ids) => forgetDeliveries(client, person.callingCode, ids),
});

/** Requests of Surface B whose path names the number where an id belongs. */
export const requests = place<string>('logged requests', {
  find: (pool, person, floor) => slices(floor, (after) => findRequests(pool, person, after)),
  erase: (client, person, ids) => blankRequests(client, person.phone, ids),
});

/** Lines of the audit log about the contact, and about opt-outs of the number. */
export const auditLines = place<string>('audit lines', {
  find: async function* (pool, person) {
    yield await findAuditLines(pool, person);
  },
  erase: (client, _person, ids) => blankAuditLines(client, ids),
});

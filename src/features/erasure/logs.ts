import { forgetDeliveries } from '../webhooks/erase-store.js';
import { blankAuditLines, blankRequests, findAuditLines, findDeliveries, findRequests } from './logs-store.js';
import { makeTrace, readSlices } from './trace.js';

export const webhookEvents = makeTrace<string>('webhook events', {
  find: (pool, person, floor) => readSlices(floor, (id) => findDeliveries(pool, person, id)),
  erase: (client, person, ids) => forgetDeliveries(client, person.callingCode, ids),
});

/** Logged Surface B requests whose path contains the person's number in place of an ID. */
export const loggedRequests = makeTrace<string>('logged requests', {
  find: (pool, person, floor) => readSlices(floor, (id) => findRequests(pool, person, id)),
  erase: (client, person, ids) => blankRequests(client, person.address, ids),
});

export const auditLines = makeTrace<string>('audit lines', {
  find: async function* (pool, person) {
    yield await findAuditLines(pool, person);
  },
  erase: (client, _person, ids) => blankAuditLines(client, ids),
});

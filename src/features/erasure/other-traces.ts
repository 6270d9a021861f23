import { eraseUnmatched, findUnmatchedByAddress } from '../../carriers/callbacks/unmatched/erase-store.js';
import { FIRST_ID } from '../../platform/ids.js';
import {
  deleteRows,
  findCampaignVariables,
  findCarrierCalls,
  findCodeLimits,
  findConsentRequests,
  findConsents,
  findInboundParts,
  findOptOuts,
  findSignInCodes,
  findSpendingLimits,
  findUnprocessedReports,
  forgetConsents,
  forgetOptOuts,
  type RowKey,
} from './other-traces-store.js';
import { makeTrace, readSlices, SLICE_ROWS, type Trace } from './trace.js';

export const campaignVariables = makeSmallTrace('values of campaigns', findCampaignVariables);
export const inboundParts = makeSmallTrace('parts of inbound SMS', findInboundParts);
export const unprocessedReports = makeSmallTrace('reports of carriers set aside', findUnprocessedReports);
export const unmatchedReports = makeTrace<string>('kept reports of carriers', {
  find: (pool, person) =>
    readSlices(FIRST_ID, async (after) => {
      const rows = await findUnmatchedByAddress(pool, person.address, { after, limit: SLICE_ROWS });
      return { rows, next: rows.length === SLICE_ROWS ? (rows.at(-1) ?? null) : null };
    }),
  erase: (client, _person, ids) => eraseUnmatched(client, ids),
});
export const carrierCalls = makeSmallTrace('calls of carriers', findCarrierCalls);

export const signInCodes = makeSmallTrace('sign-in codes', findSignInCodes);
export const codeLimits = makeSmallTrace('counts of sign-in codes', findCodeLimits);
export const spendingLimits = makeSmallTrace('counts of limits', findSpendingLimits);

export const optOuts: Trace = makeTrace<RowKey>('opt-outs', {
  find: async function* (pool, person) {
    yield await findOptOuts(pool, person);
  },
  erase: (client, person, rows) => forgetOptOuts(client, rows, person.forgetsOptOuts),
});

export const consents: Trace = makeTrace<RowKey>('consent entries', {
  find: async function* (pool, person) {
    yield await findConsents(pool, person);
  },
  erase: (client, person, rows) => forgetConsents(client, rows, person.forgetsOptOuts),
});

export const consentRequests = makeSmallTrace('requests for consent', findConsentRequests);

function makeSmallTrace(kind: string, find: typeof findCampaignVariables): Trace {
  return makeTrace<RowKey>(kind, {
    find: async function* (pool, person) {
      yield await find(pool, person);
    },
    erase: (client, _person, rows) => deleteRows(client, rows),
  });
}

import { eraseKept, findKeptNaming } from '../../carriers/callbacks/kept/erase-store.js';
import { FIRST_ID } from '../../platform/ids.js';
import { type Place, place, SLICE_ROWS, slices } from './place.js';
import {
  deleteKeyed,
  findAsked,
  findCallbacks,
  findCalls,
  findCampaignValues,
  findOptOuts,
  findParts,
  findSpent,
  findVerifications,
  forgetOptOuts,
  type Keyed,
} from './rest-store.js';

/** What `{{variables.<name>}}` stands for to the person in campaigns that have not ended. */
export const campaignValues = whole('values of campaigns', findCampaignValues);
/** Parts of longer SMS that the person wrote, until all have come. */
export const parts = whole('parts of inbound SMS', findParts);
/** Reports of carriers that were given up and are kept for operators. */
export const callbacks = whole('reports of carriers set aside', findCallbacks);
/** Reports of carriers that were kept, for nothing used them. */
export const keptReports = place<string>('kept reports of carriers', {
  find: (pool, person) =>
    slices(FIRST_ID, async (after) => {
      const rows = await findKeptNaming(pool, person.phone, { after, limit: SLICE_ROWS });
      return { rows, next: rows.length === SLICE_ROWS ? (rows.at(-1) ?? null) : null };
    }),
  erase: (client, _person, ids) => eraseKept(client, ids),
});
/** What carriers were asked about the number beside its messages, whose own calls go with them. */
export const calls = whole('calls of carriers', findCalls);

/** Sign-in codes: the number goes, and what could be checked. */
export const verifications = whole('sign-in codes', findVerifications);
export const askedCodes = whole('counts of sign-in codes', findAsked);
/** What was counted for limits of one recipient. */
export const spentCounts = whole('counts of limits', findSpent);

/** Opt-outs bind on; the word that the person wrote goes, and so does what it took back. */
export const optOuts: Place = place<Keyed>('opt-outs', {
  find: async function* (pool, person) {
    yield await findOptOuts(pool, person);
  },
  erase: (client, person, rows) => forgetOptOuts(client, rows, person.forgetsOptOuts),
});

/** A handful of rows that are deleted. */
function whole(kind: string, find: typeof findCampaignValues): Place {
  return place<Keyed>(kind, {
    find: async function* (pool, person) {
      yield await find(pool, person);
    },
    erase: (client, _person, rows) => deleteKeyed(client, rows),
  });
}

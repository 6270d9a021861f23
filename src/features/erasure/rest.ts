import { type Place, place } from './place.js';
import {
  deleteKeyed,
  findCallbacks,
  findCalls,
  findCampaignValues,
  findOptOuts,
  findParts,
  forgetOptOuts,
  type Keyed,
} from './rest-store.js';

/** What `{{variables.<name>}}` stands for to the person in campaigns that have not ended. */
export const campaignValues = whole('values of campaigns', findCampaignValues);
/** Parts of longer SMS that the person wrote, until all have come. */
export const parts = whole('parts of inbound SMS', findParts);
/** Reports of carriers that were given up and are kept for operators. */
export const callbacks = whole('reports of carriers set aside', findCallbacks);
/** What carriers were asked about the number beside its messages, whose own calls go with them. */
export const calls = whole('calls of carriers', findCalls);

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

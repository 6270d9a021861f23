// The places whose statements do not go to the shard of an account, as all-shards.txt lists them.
import { readFileSync, writeFileSync } from 'node:fs';

const LIST = new URL('./all-shards.txt', import.meta.url);

/** Routes of what would have to be written anew, or asked of each shard. */
const ASTRAY = new Set(['all', 'key', 'untold']);

/** The sources on the way of a message, as docs/architecture.md draws it, from the request to what the customer is told. */
const WAY = [
  'src/accounts/authenticator.ts',
  'src/accounts/key-use-store.ts',
  'src/accounts/rates.ts',
  'src/carriers/registry/route-store.ts',
  'src/features/conversations/sending/',
  'src/features/fallbacks/',
  'src/features/webhooks/delivery/',
  'src/messages/accept/',
  'src/messages/codes/',
  'src/messages/compose/',
  'src/messages/events/',
  'src/messages/queue/',
  'src/messages/send/',
  'src/messages/status/',
];

/** Whether a source is on the way of a message. @param {string} path */
export const isOnTheWay = (path) => WAY.some((part) => path.startsWith(part));

/** Where a statement stands and what it asks. @param {import('./routes.mjs').Routed} routed */
export const placeOf = ({ path, verb, tables }) => `${path} ${verb} ${tables.join(',')}`;

/** Whether it does not go to the shard of an account. @param {import('./routes.mjs').Routed} routed */
export const goesAstray = ({ route }) => ASTRAY.has(route);

/** The lines of the list: a place of several statements that go astray differently has several. @param {import('./routes.mjs').Routed[]} routed */
export const linesOf = (routed) =>
  [...new Set(routed.filter(goesAstray).map((each) => `${each.route} ${placeOf(each)}`))].sort();

export const readList = () => readFileSync(LIST, 'utf8').split('\n').filter(Boolean);

export function writeList(lines) {
  writeFileSync(LIST, `${lines.join('\n')}\n`);
}

// The statements on the way of a message that do not go to the shard of an account, as on-the-way.txt lists them.
import { readFileSync, writeFileSync } from 'node:fs';

const LIST = new URL('./on-the-way.txt', import.meta.url);

/** Routes of what would have to be written anew, or asked of each shard. */
const ASTRAY = new Set(['each', 'across', 'key', 'untold']);

/** The sources on the way of a message, as docs/architecture.md draws it, from the request to what the customer is told. */
const WAY = [
  'src/accounts/authenticator.ts',
  'src/accounts/idempotency/',
  'src/accounts/key-usage-store.ts',
  'src/accounts/rates.ts',
  'src/carriers/registry/route-store.ts',
  'src/features/contacts/contact-store.ts',
  'src/features/conversations/party-store.ts',
  'src/features/conversations/sending/',
  'src/features/fallbacks/',
  'src/features/inbound/inbound-store.ts',
  'src/features/webhooks/delivery/',
  'src/messages/accept/',
  'src/messages/sign-in-codes/',
  'src/messages/compose/',
  'src/messages/events/',
  'src/messages/queue/',
  'src/messages/send/',
  'src/messages/status/',
];

/** Whether a source is on the way of a message. @param {string} path */
export const isOnTheWay = (path) => WAY.some((part) => path.startsWith(part));

/** Where a statement stands and what it asks. @param {import('./routes.mjs').Routed} routed */
const placeOf = ({ path, verb, tables }) => `${path} ${verb} ${tables.join(',')}`;

/** Whether it does not go to the shard of an account. @param {import('./routes.mjs').Routed} routed */
const goesAstray = ({ route }) => ASTRAY.has(route);

/**
 * A place of which a statement goes astray.
 * @typedef {{ route: string, path: string, place: string, isWhole: boolean }} Line `isWhole`: whether all of its statements do
 */

/** @param {import('./routes.mjs').Routed[]} routed @returns {Line[]} each once, in order */
export function linesOf(routed) {
  const straight = placesThatGoStraight(routed);
  const lines = new Map();
  for (const each of routed.filter(goesAstray)) {
    const place = placeOf(each);
    lines.set(`${each.route} ${place}`, { route: each.route, path: each.path, place, isWhole: !straight.has(place) });
  }
  return [...lines.keys()].sort().map((key) => lines.get(key));
}

/** Places of which a statement goes to its shard. @param {import('./routes.mjs').Routed[]} routed */
export const placesThatGoStraight = (routed) => new Set(routed.filter((each) => !goesAstray(each)).map(placeOf));

const SOME = ' (some)';

/** @param {Line} line */
export const writtenLine = ({ route, place, isWhole }) => `${route} ${place}${isWhole ? '' : SOME}`;

/** @returns {Line[]} */
export function readList() {
  const lines = readFileSync(LIST, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const isWhole = !line.endsWith(SOME);
    const [route, ...words] = (isWhole ? line : line.slice(0, -SOME.length)).split(' ');
    return { route, path: words[0], place: words.join(' '), isWhole };
  });
}

/** @param {Line[]} lines */
export function writeList(lines) {
  writeFileSync(LIST, `${lines.map(writtenLine).join('\n')}\n`);
}

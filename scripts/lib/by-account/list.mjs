// The statements of a message that do not go to the shard of one account, as listed in on-the-way.txt.
import { readFileSync, writeFileSync } from 'node:fs';

const LIST = new URL('./on-the-way.txt', import.meta.url);

/** Routes of statements that would have to be rewritten or sent to every shard. */
const ASTRAY = new Set(['each', 'across', 'key', 'untold']);

/** The sources that handle a message, from the request to the customer's webhook, as in docs/architecture.md. */
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

/** @param {string} path */
export const isOnTheWay = (path) => WAY.some((part) => path.startsWith(part));

/** Identifies a statement by file, verb and tables. @param {import('./routes.mjs').Routed} routed */
const placeOf = ({ path, verb, tables }) => `${path} ${verb} ${tables.join(',')}`;

/** Whether a statement does not go to one account's shard. @param {import('./routes.mjs').Routed} routed */
const goesAstray = ({ route }) => ASTRAY.has(route);

/**
 * A place with such a statement.
 * @typedef {{ route: string, path: string, place: string, isWhole: boolean }} Line `isWhole`: true for all of its statements
 */

/** @param {import('./routes.mjs').Routed[]} routed @returns {Line[]} unique, sorted */
export function linesOf(routed) {
  const straight = placesThatGoStraight(routed);
  const lines = new Map();
  for (const each of routed.filter(goesAstray)) {
    const place = placeOf(each);
    lines.set(`${each.route} ${place}`, { route: each.route, path: each.path, place, isWhole: !straight.has(place) });
  }
  return [...lines.keys()].sort().map((key) => lines.get(key));
}

/** Places with a statement that goes to one shard. @param {import('./routes.mjs').Routed[]} routed */
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

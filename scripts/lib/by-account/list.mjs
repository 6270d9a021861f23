// Lists the statements of a message that do not go to the shard of one account, and stores the list in on-the-way.txt.
import { readFileSync, writeFileSync } from 'node:fs';

const LIST = new URL('./on-the-way.txt', import.meta.url);

/** Statements with these routes would have to be rewritten or sent to every shard. */
const COSTLY_ROUTES = new Set(['each', 'across', 'key', 'unknown']);

/** Sources that handle a message on its way from the request to the customer's webhook (docs/architecture.md). */
const MESSAGE_PATH = [
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

/** @param {{ path: string }} statement */
export const isOnMessagePath = ({ path }) => MESSAGE_PATH.some((prefix) => path.startsWith(prefix));

/**
 * Identifies a statement by its file, verb and tables.
 * @param {import('./routes.mjs').Statement} statement
 */
const toLocation = ({ path, verb, tables }) => `${path} ${verb} ${tables.join(',')}`;

/** @param {import('./routes.mjs').Statement} statement */
const isCostly = ({ route }) => COSTLY_ROUTES.has(route);

/**
 * Location of costly statements. If `coversAll`, all statements at this location are costly.
 * @typedef {{ route: string, path: string, location: string, coversAll: boolean }} Entry
 */

/**
 * @param {import('./routes.mjs').Statement[]} statements
 * @returns {Entry[]}
 */
export function listCostlyStatements(statements) {
  const cheapLocations = findCheapLocations(statements);
  const entries = new Map();
  for (const statement of statements.filter(isCostly)) {
    const { route, path } = statement;
    const location = toLocation(statement);
    entries.set(`${route} ${location}`, { route, path, location, coversAll: !cheapLocations.has(location) });
  }
  return [...entries.keys()].sort().map((key) => entries.get(key));
}

/**
 * Finds locations where at least one statement is not costly.
 * @param {import('./routes.mjs').Statement[]} statements
 */
export const findCheapLocations = (statements) =>
  new Set(statements.filter((statement) => !isCostly(statement)).map(toLocation));

const SOME_SUFFIX = ' (some)';

/** @param {Entry} entry */
export const formatEntry = ({ route, location, coversAll }) => `${route} ${location}${coversAll ? '' : SOME_SUFFIX}`;

/** @returns {Entry[]} */
export function readList() {
  const lines = readFileSync(LIST, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const coversAll = !line.endsWith(SOME_SUFFIX);
    const [route, ...words] = (coversAll ? line : line.slice(0, -SOME_SUFFIX.length)).split(' ');
    return { route, path: words[0], location: words.join(' '), coversAll };
  });
}

/** @param {Entry[]} entries */
export function writeList(entries) {
  writeFileSync(LIST, `${entries.map(formatEntry).join('\n')}\n`);
}

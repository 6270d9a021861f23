import type pg from 'pg';
import type { SessionParameters } from '../connections/session.js';
import { LocalQuery, settingLocally } from './local-query.js';

type Ask = (args: unknown[]) => unknown;
type Told = (error: Error | null, result: unknown) => void;

const BEGIN = /^\s*BEGIN\b/i;

/**
 * Asks statements so that each may go over another connection of the server, as behind a pooler in transaction mode: none is
 * prepared under a name, and parameters hold for a transaction, not for the connection.
 * @param ask `query` of the connection
 * @param parameters set for each statement, or at the beginning of each transaction
 * @param ofTransactions set at the beginning of each transaction alone
 */
export function pooledQueries(
  client: pg.Client,
  ask: Ask,
  { parameters, ofTransactions = {} }: { parameters: SessionParameters; ofTransactions?: SessionParameters },
): Ask {
  const settings = settingsOf(parameters);
  const ofTransaction = settingsOf({ ...parameters, ...ofTransactions });
  return (args) => {
    const [asked, second] = args;
    if (typeof (asked as { submit?: unknown }).submit === 'function') return ask(args);
    const { name: _, ...statement } = (typeof asked === 'string' ? { text: asked } : asked) as pg.QueryConfig;
    // In a transaction they hold until its end. A connection that is new has no status yet.
    const isWithin = ['T', 'E'].includes(client.getTransactionStatus() ?? '');
    if (ofTransaction && !isWithin && BEGIN.test(statement.text))
      return ask([{ ...statement, text: `${statement.text}; ${ofTransaction}` }, ...args.slice(1)]);
    if (!settings || isWithin) return ask([statement, ...args.slice(1)]);
    const values = Array.isArray(second) ? second : statement.values;
    const last = args.at(-1);
    const run = (callback: Told) => void ask([new LocalQuery(settings, { ...statement, values, callback })]);
    if (typeof last === 'function') return run(last as Told);
    return new Promise((resolve, reject) => run((error, result) => (error ? reject(error) : resolve(result))));
  };
}

function settingsOf(parameters: SessionParameters): string | null {
  return Object.keys(parameters).length > 0 ? settingLocally(parameters) : null;
}

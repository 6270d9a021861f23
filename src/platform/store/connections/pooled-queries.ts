import type pg from 'pg';
import { buildSetStatement, LocalQuery } from './local-query.js';
import type { SessionParameters } from './session.js';

type RunQuery = (args: unknown[]) => unknown;
type QueryCallback = (error: Error | null, result: unknown) => void;

const BEGIN = /^\s*BEGIN\b/i;

/**
 * Returns a query function for poolers in transaction mode, where each statement may use a different server connection.
 * `transactionParameters` are set only in transactions with several statements.
 */
export function createPooledQuery(
  client: pg.Client,
  runQuery: RunQuery,
  {
    parameters,
    transactionParameters = {},
  }: { parameters: SessionParameters; transactionParameters?: SessionParameters },
): RunQuery {
  const statementSettings = toSettingsStatement(parameters);
  const transactionSettings = toSettingsStatement({ ...parameters, ...transactionParameters });
  return (args) => {
    const [query, secondArgument] = args;
    if (typeof (query as { submit?: unknown }).submit === 'function') return runQuery(args);
    const { name: _, ...statement } = (typeof query === 'string' ? { text: query } : query) as pg.QueryConfig;
    // A new connection has no transaction status yet.
    const isInTransaction = ['T', 'E'].includes(client.getTransactionStatus() ?? '');
    if (transactionSettings && !isInTransaction && BEGIN.test(statement.text))
      return runQuery([{ ...statement, text: `${statement.text}; ${transactionSettings}` }, ...args.slice(1)]);
    if (!statementSettings || isInTransaction) return runQuery([statement, ...args.slice(1)]);
    const values = Array.isArray(secondArgument) ? secondArgument : statement.values;
    const lastArgument = args.at(-1);
    const run = (callback: QueryCallback) =>
      void runQuery([new LocalQuery(statementSettings, { ...statement, values, callback })]);
    if (typeof lastArgument === 'function') return run(lastArgument as QueryCallback);
    return new Promise((resolve, reject) => run((error, result) => (error ? reject(error) : resolve(result))));
  };
}

function toSettingsStatement(parameters: SessionParameters): string | null {
  return Object.keys(parameters).length > 0 ? buildSetStatement(parameters) : null;
}

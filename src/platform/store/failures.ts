/** SQLSTATE of an error that PostgreSQL reported; undefined where the connection itself failed. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/**
 * Whether it is unknown if the statement was committed: the connection broke before its answer came, or the server was
 * shutting down (class 08 and 57P01 to 57P05 of PostgreSQL's error codes).
 */
export function outcomeUnknown(error: unknown): boolean {
  const state = sqlState(error);
  // A pool that could not connect in time, a socket error, or a connection that ended: none has an SQLSTATE.
  if (state !== undefined) return state.startsWith('08') || state.startsWith('57P');
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}

/** Tries of a transaction that PostgreSQL ends because two wait for each other. */
const MOST_TRIES = 5;

/** Whether the transaction was rolled back for a reason that another try may not meet: deadlock or serialization. */
export function worthRepeating(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40P01' || state === '40001' || state === '55P03';
}

/** Runs a transaction, or a statement that is one, again where PostgreSQL rolled it back for the sake of another. */
export async function repeated<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= MOST_TRIES || !worthRepeating(error)) throw error;
    }
  }
}

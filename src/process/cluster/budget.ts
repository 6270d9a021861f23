import { StartError } from '../../platform/errors/start-error.js';

/** Left for `psql`, the command, backups and the lock of the data folder. */
const SPARE = 15;
/** What PostgreSQL keeps for superusers unless told. */
const RESERVED = 3;
/** The least that DATABASE_POOL_SIZE may be. */
const LEAST = 15;
/** An embedded PostgreSQL shares the machine: more connections would only wait for its processor. */
const EMBEDDED_SUM = 240;

/** While they are restarted one by one there is one more for a moment. */
function mostAtOnce(processes: number): number {
  return processes + 1;
}

/** Connections that an embedded PostgreSQL must take for so many processes of DATABASE_POOL_SIZE. */
export function connectionsFor(processes: number, poolSize: number): number {
  const most = mostAtOnce(processes);
  const each = Math.min(poolSize, Math.max(LEAST, Math.floor(EMBEDDED_SUM / most)));
  return most * each + SPARE + RESERVED;
}

export interface Budget {
  /** For each process. */
  poolSize: number;
  /** Why it is less than was set, for the log; null where it is not. */
  reduced: string | null;
}

/**
 * Connections of each process, so that PostgreSQL takes those of all.
 * @param limit connections that PostgreSQL takes from anybody
 * @throws {StartError} when it takes too few for so many processes
 */
export function budgetOf(processes: number, poolSize: number, limit: number): Budget {
  const most = mostAtOnce(processes);
  const each = Math.floor((limit - SPARE) / most);
  if (each >= poolSize) return { poolSize, reduced: null };
  const wanted = `PostgreSQL takes ${limit} connections, and PROCESSES=${processes} with DATABASE_POOL_SIZE=${poolSize}`;
  if (each < LEAST) {
    throw new StartError(
      `PostgreSQL takes ${limit} connections, and ${processes} processes need ${most * LEAST + SPARE} at the least: raise its ` +
        'max_connections, or lower PROCESSES.',
    );
  }
  return {
    poolSize: each,
    reduced: `${wanted} may hold ${most * poolSize}: each process holds ${each} at the most. Raise max_connections for more.`,
  };
}

import { StartError } from '../../platform/errors/start-error.js';

/** Connections reserved for `psql`, the command `heliograph`, backups and the lock of the data folder. */
const SPARE_CONNECTIONS = 15;
/** PostgreSQL's default of `superuser_reserved_connections`. */
const RESERVED_CONNECTIONS = 3;
/** The minimum of DATABASE_POOL_SIZE. */
const MIN_POOL_SIZE = 15;
/** More connections would only wait for a processor, because an embedded PostgreSQL shares the machine with Heliograph. */
const MAX_EMBEDDED_CONNECTIONS = 240;

/** Adds one process, because a rolling restart briefly runs one more process than PROCESSES. */
function peakProcesses(processes: number): number {
  return processes + 1;
}

export function embeddedConnectionLimit(processes: number, poolSize: number): number {
  const peak = peakProcesses(processes);
  const perProcess = Math.min(poolSize, Math.max(MIN_POOL_SIZE, Math.floor(MAX_EMBEDDED_CONNECTIONS / peak)));
  return peak * perProcess + SPARE_CONNECTIONS + RESERVED_CONNECTIONS;
}

export interface ConnectionBudget {
  poolSize: number;
  warning: string | null;
}

/**
 * Divides `limit`, the connections that PostgreSQL allows for non-superusers, among the processes.
 * @throws {StartError}
 */
export function divideConnections(processes: number, poolSize: number, limit: number): ConnectionBudget {
  const peak = peakProcesses(processes);
  const perProcess = Math.floor((limit - SPARE_CONNECTIONS) / peak);
  if (perProcess >= poolSize) return { poolSize, warning: null };
  if (perProcess < MIN_POOL_SIZE) {
    const minConnections = peak * MIN_POOL_SIZE + SPARE_CONNECTIONS;
    throw new StartError(
      `PostgreSQL allows ${limit} connections, but ${processes} processes need at least ${minConnections}: raise max_connections ` +
        'in PostgreSQL, or lower PROCESSES.',
    );
  }
  return {
    poolSize: perProcess,
    warning:
      `PostgreSQL allows ${limit} connections, but PROCESSES=${processes} with DATABASE_POOL_SIZE=${poolSize} can use ` +
      `${peak * poolSize}. Each process uses at most ${perProcess}. Raise max_connections in PostgreSQL to allow more.`,
  };
}

/** The `application_name` of a server's connections, by which `heliograph restore` detects a running server. */
export const SERVER_NAME = 'heliograph';

/** The position of a process among those of one start. */
export interface ProcessPosition {
  /** Starting at 1. */
  number: number;
  of: number;
  role: 'api' | 'worker';
  /** Process ID of the first process, which identifies the start on this machine; 0 if unknown. */
  start: number;
}

let currentName = SERVER_NAME;

/** Returns the default `application_name` of this process's connections. */
export function connectionName(): string {
  return currentName;
}

/** Sets the connection name of one of several processes. Call it before any connection is opened. */
export function nameConnections({ number, of, role, start }: ProcessPosition): void {
  currentName = `${SERVER_NAME} ${number}/${of} ${role} of ${start}`;
}

/** Parses a name from `nameConnections`; null for any other name. */
export function parseConnectionName(name: string): ProcessPosition | null {
  const [, number, of, role, start = 0] = /^heliograph (\d+)\/(\d+) (api|worker)(?: of (\d+))?$/.exec(name) ?? [];
  if (!role) return null;
  return { number: Number(number), of: Number(of), role: role as ProcessPosition['role'], start: Number(start) };
}

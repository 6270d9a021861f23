/** `heliograph restore` detects a running server by this `application_name`. */
export const SERVER_NAME = 'heliograph';

export interface ProcessPosition {
  /** Starting at 1. */
  number: number;
  of: number;
  role: 'api' | 'worker';
  /** Process ID of the first process; 0 if unknown. */
  start: number;
}

let currentName = SERVER_NAME;

export function connectionName(): string {
  return currentName;
}

/** Call this before any connection is opened. */
export function nameConnections({ number, of, role, start }: ProcessPosition): void {
  currentName = `${SERVER_NAME} ${number}/${of} ${role} of ${start}`;
}

/** Null for other names. */
export function parseConnectionName(name: string): ProcessPosition | null {
  const [, number, of, role, start = 0] = /^heliograph (\d+)\/(\d+) (api|worker)(?: of (\d+))?$/.exec(name) ?? [];
  if (!role) return null;
  return { number: Number(number), of: Number(of), role: role as ProcessPosition['role'], start: Number(start) };
}

/** `heliograph restore` detects a running server by the `application_name` of its connections. */
export const SERVER_NAME = 'heliograph';

export interface ProcessPosition {
  /** Starting at 1. */
  number: number;
  processCount: number;
  role: 'api' | 'worker';
  /** Process ID of the primary process; 0 if unknown. */
  primaryPid: number;
}

let currentName = SERVER_NAME;

export function getConnectionName(): string {
  return currentName;
}

/** Call `nameConnections` before any connection is opened. */
export function nameConnections({ number, processCount, role, primaryPid }: ProcessPosition): void {
  currentName = `${SERVER_NAME} ${number}/${processCount} ${role} of ${primaryPid}`;
}

/** Null for other names. */
export function parseConnectionName(name: string): ProcessPosition | null {
  const [, number, processCount, role, primaryPid = 0] =
    /^heliograph (\d+)\/(\d+) (api|worker)(?: of (\d+))?$/.exec(name) ?? [];
  if (!role) return null;
  return {
    number: Number(number),
    processCount: Number(processCount),
    role: role as ProcessPosition['role'],
    primaryPid: Number(primaryPid),
  };
}

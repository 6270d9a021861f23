/** What a connection of a server is called (`application_name`), by which `heliograph restore` finds that one runs. */
export const SERVER_NAME = 'heliograph';

/** Which of the processes of one start a process is. */
export interface ProcessPlace {
  /** From 1. */
  number: number;
  of: number;
  role: 'api' | 'worker';
}

let present = SERVER_NAME;

/** What PostgreSQL is told that the connections of this process are, unless they are named otherwise. */
export function connectionName(): string {
  return present;
}

/** Lets PostgreSQL know which of several processes each of its connections belongs to; before any of them is opened. */
export function nameConnections({ number, of, role }: ProcessPlace): void {
  present = `${SERVER_NAME} ${number}/${of} ${role}`;
}

/** Reads what `nameConnections` wrote; null for any other name. */
export function placeOfConnection(name: string): ProcessPlace | null {
  const [, number, of, role] = /^heliograph (\d+)\/(\d+) (api|worker)$/.exec(name) ?? [];
  return role ? { number: Number(number), of: Number(of), role: role as ProcessPlace['role'] } : null;
}

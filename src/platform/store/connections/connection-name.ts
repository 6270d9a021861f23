/** What a connection of a server is called (`application_name`), by which `heliograph restore` finds that one runs. */
export const SERVER_NAME = 'heliograph';

/** Which of the processes of one start a process is. */
export interface ProcessPlace {
  /** From 1. */
  number: number;
  of: number;
  role: 'api' | 'worker';
  /** The number of the first process, by which the starts of a machine are told apart; 0 where it is not known. */
  start: number;
}

let present = SERVER_NAME;

/** What PostgreSQL is told that the connections of this process are, unless they are named otherwise. */
export function connectionName(): string {
  return present;
}

/** Lets PostgreSQL know which of several processes each of its connections belongs to; before any of them is opened. */
export function nameConnections({ number, of, role, start }: ProcessPlace): void {
  present = `${SERVER_NAME} ${number}/${of} ${role} of ${start}`;
}

/** Reads what `nameConnections` wrote; null for any other name. */
export function placeOfConnection(name: string): ProcessPlace | null {
  const [, number, of, role, start = 0] = /^heliograph (\d+)\/(\d+) (api|worker)(?: of (\d+))?$/.exec(name) ?? [];
  if (!role) return null;
  return { number: Number(number), of: Number(of), role: role as ProcessPlace['role'], start: Number(start) };
}

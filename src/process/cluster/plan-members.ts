import type { Config } from '../settings/config.js';
import type { Member } from './ipc-messages.js';

/**
 * Lets only the first SENDING_PROCESSES members send, because binds and rate limits of carriers apply to each sending process.
 */
export function planMembers({
  processes: total,
  role,
  sendingProcesses,
  listens,
}: Pick<Config, 'processes' | 'role' | 'sendingProcesses' | 'listens'>): Member[] {
  const sending = { all: sendingProcesses, api: 0, worker: total }[role];
  return Array.from({ length: total }, (_, index) => ({
    number: index + 1,
    total,
    role: index < sending ? 'worker' : 'api',
    listens: index < sending ? role === 'worker' && listens : true,
    logsStartHints: index === (sending < total ? sending : 0),
  }));
}

/** Returns a text for the log, such as `4 processes, of which 1 sends`. */
export function describePlan(members: readonly Member[]): string {
  const sending = members.filter(({ role }) => role === 'worker').length;
  const total = `${members.length} processes`;
  if (sending === 0 || sending === members.length) return total;
  return `${total}, of which ${sending} ${sending === 1 ? 'sends' : 'send'}`;
}

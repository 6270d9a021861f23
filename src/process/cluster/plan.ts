import type { Config } from '../settings/config.js';
import type { Member } from './orders.js';

/**
 * Who does what. Of the role `all` the first ones send and the others serve, so that binds and rates of carriers hold as
 * often as SENDING_PROCESSES says, and requests never wait for what is being sent. Of the other roles all do the same.
 */
export function planMembers({
  processes: of,
  role,
  sendingProcesses,
  listens,
}: Pick<Config, 'processes' | 'role' | 'sendingProcesses' | 'listens'>): Member[] {
  const sending = { all: sendingProcesses, api: 0, worker: of }[role];
  return Array.from({ length: of }, (_, index) => ({
    number: index + 1,
    of,
    role: index < sending ? 'worker' : 'api',
    listens: index < sending ? role === 'worker' && listens : true,
    isFirst: index === (sending < of ? sending : 0),
  }));
}

/** In words, e.g. `4 processes, of which 1 sends`. */
export function inWords(members: readonly Member[]): string {
  const sending = members.filter(({ role }) => role === 'worker').length;
  const all = `${members.length} processes`;
  if (sending === 0 || sending === members.length) return all;
  return `${all}, of which ${sending} ${sending === 1 ? 'sends' : 'send'}`;
}

import type { Carrier, CarrierProcess } from '../../api/installation/carriers.js';
import { text } from '../../text/en.js';

const { states } = text.carriers;

export interface ShownState {
  status: string;
  label: string;
  color: string;
}

const COLOURS = {
  up: 'green',
  limited: 'yellow',
  down: 'red',
  unusable: 'red',
  silent: 'red',
  none: 'yellow',
  off: 'gray',
};

const shown = (status: keyof typeof COLOURS): ShownState => ({
  status,
  label: states[status],
  color: COLOURS[status],
});

export const stateOfProcess = ({ state, isFresh }: CarrierProcess): ShownState => shown(isFresh ? state : 'silent');

/** Returns the best state of all processes that are still reporting. */
export function stateOf({ isActive, isBuiltIn, processes }: Carrier): ShownState {
  if (isBuiltIn) return shown('up');
  if (!isActive) return shown('off');
  const fresh = processes.filter(({ isFresh }) => isFresh);
  if (fresh.length === 0) return shown(processes.length > 0 ? 'silent' : 'none');
  const best = (['up', 'limited', 'down'] as const).find((state) => fresh.some((process) => process.state === state));
  return shown(best ?? 'unusable');
}

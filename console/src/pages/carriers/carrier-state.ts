import type { Carrier, CarrierProcess } from '../../api/installation/carriers.js';
import { text } from '../../text/en.js';

const { states } = text.carriers;

export interface BadgeState {
  status: string;
  label: string;
  color: string;
}

const COLORS = {
  up: 'green',
  limited: 'yellow',
  down: 'red',
  unusable: 'red',
  silent: 'red',
  none: 'yellow',
  off: 'gray',
};

const toBadge = (status: keyof typeof COLORS): BadgeState => ({
  status,
  label: states[status],
  color: COLORS[status],
});

export const toProcessBadge = ({ state, isFresh }: CarrierProcess): BadgeState => toBadge(isFresh ? state : 'silent');

/** Returns the best state that any process currently reports for the carrier. */
export function toCarrierBadge({ isActive, isBuiltIn, processes }: Carrier): BadgeState {
  if (isBuiltIn) return toBadge('up');
  if (!isActive) return toBadge('off');
  const reportingProcesses = processes.filter(({ isFresh }) => isFresh);
  if (reportingProcesses.length === 0) return toBadge(processes.length > 0 ? 'silent' : 'none');
  const best = (['up', 'limited', 'down'] as const).find((state) =>
    reportingProcesses.some((process) => process.state === state),
  );
  return toBadge(best ?? 'unusable');
}

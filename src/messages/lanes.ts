/** Each lane is a queue with its own workers, so that a full bulk lane never delays urgent messages. */
export const LANES = ['urgent', 'bulk'] as const;
export type Lane = (typeof LANES)[number];

/** Priorities from the highest: 3 and 2 are urgent, 1 and 0 are bulk. */
export const PRIORITIES = [3, 2, 1, 0] as const;
export type Priority = (typeof PRIORITIES)[number];

export function laneFor(priority: number): Lane {
  return priority >= 2 ? 'urgent' : 'bulk';
}

/**
 * Lanes are queues with slots of their own, so that a full bulk lane never holds an urgent message up. Within a lane
 * BullMQ's priority decides.
 */
export const LANES = ['urgent', 'bulk'] as const;
export type Lane = (typeof LANES)[number];

/** Priorities of messages, highest first: 3 and 2 are urgent, 1 and 0 bulk. */
export const PRIORITIES = [3, 2, 1, 0] as const;
export type Priority = (typeof PRIORITIES)[number];

export function laneOf(priority: number): Lane {
  return priority >= 2 ? 'urgent' : 'bulk';
}

/**
 * BullMQ's priority of a message's priority: lower numbers run first. None is 0, for jobs without a priority would run
 * before all others.
 */
export function jobPriority(priority: number): number {
  return 4 - priority;
}

/** The variable by which a process knows that the first one has started it. */
export const MEMBER_VARIABLE = 'HELIOGRAPH_MEMBER';

/** Whether another process of Heliograph has started this one. */
export function isMember(): boolean {
  return process.env[MEMBER_VARIABLE] !== undefined && process.send !== undefined;
}

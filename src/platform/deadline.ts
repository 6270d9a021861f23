/** When signals are to have fired, by `performance.now()`: of those alone that have such a moment. */
const deadlines = new WeakMap<AbortSignal, number>();

/**
 * Says when a signal is to have fired; a later call says it anew. The timer that fires it may come late: a process that
 * stood still first works off what came in meanwhile.
 * @param at by `performance.now()`
 */
export function setDeadline(signal: AbortSignal, at: number): void {
  deadlines.set(signal, at);
}

/**
 * Whether a signal has fired, or should have by now. To be asked directly before what must not be done any more then.
 * @param now of `performance.now()`
 */
export function isOver(signal: AbortSignal, now = performance.now()): boolean {
  if (signal.aborted) return true;
  const at = deadlines.get(signal);
  return at !== undefined && now >= at;
}

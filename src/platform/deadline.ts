/** When signals should have fired, by `performance.now()`. */
const deadlines = new WeakMap<AbortSignal, number>();

/**
 * Records when a signal should fire; a later call replaces the time. Its timer may be late: after a pause, a process
 * handles pending input first.
 * @param deadline by `performance.now()`
 */
export function setDeadline(signal: AbortSignal, deadline: number): void {
  deadlines.set(signal, deadline);
}

/**
 * Returns whether a signal has fired, or should have by now. Check it right before an action that is not allowed after
 * the deadline.
 * @param now by `performance.now()`
 */
export function isPastDeadline(signal: AbortSignal, now = performance.now()): boolean {
  if (signal.aborted) return true;
  const deadline = deadlines.get(signal);
  return deadline !== undefined && now >= deadline;
}

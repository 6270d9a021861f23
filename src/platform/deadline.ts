const deadlines = new WeakMap<AbortSignal, number>();

/**
 * Records when a signal should fire. Its timer may be late: after a pause, a process handles pending input first.
 * @param deadline a time of `performance.now()`
 */
export function setDeadline(signal: AbortSignal, deadline: number): void {
  deadlines.set(signal, deadline);
}

export function isPastDeadline(signal: AbortSignal, now = performance.now()): boolean {
  if (signal.aborted) return true;
  const deadline = deadlines.get(signal);
  return deadline !== undefined && now >= deadline;
}

const deadlines = new WeakMap<AbortSignal, number>();

/**
 * Records the `performance.now()` time at which an abort signal should fire, because the signal's timer may be late after a
 * pause of the process.
 */
export function setDeadline(signal: AbortSignal, deadline: number): void {
  deadlines.set(signal, deadline);
}

export function isPastDeadline(signal: AbortSignal, now = performance.now()): boolean {
  if (signal.aborted) return true;
  const deadline = deadlines.get(signal);
  return deadline !== undefined && now >= deadline;
}

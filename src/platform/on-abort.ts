import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` immediately if `signal` has already fired. Returns a function that removes the listener, to be called soon,
 * because a signal can live as long as the process.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  // Node.js would warn about a leak if many messages of a batch added listeners to one signal.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Resolves once the work succeeds or the signal fires, and rejects if the work fails first. */
export async function waitForDoneOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let removeListener: (() => void) | undefined;
  const aborted = new Promise<void>((resolve) => {
    removeListener = onAbort(signal, resolve);
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    removeListener?.();
  }
}

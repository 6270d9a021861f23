import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` when `signal` fires, or right away if it has already fired.
 * @returns removes the listener; call it as soon as possible, because a signal can live as long as the process
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  // Many listeners may use the same signal, for example for the messages of a batch.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Resolves once the work has succeeded or the signal fires; rejects if the work fails first. */
export async function doneOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
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

import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` once `signal` fires; before this returns, where it has fired already.
 * @returns ends the listening; to be called once the signal is of no interest any more, for it may live as long as the process
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  // Many may wait on the same signal, such as the messages of a batch.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Resolves once the work has succeeded or the signal fires; rejects when the work fails before. */
export async function doneOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let unlisten: (() => void) | undefined;
  const aborted = new Promise<void>((resolve) => {
    unlisten = onAbort(signal, resolve);
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    unlisten?.();
  }
}

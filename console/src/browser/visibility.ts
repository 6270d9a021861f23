import { useSyncExternalStore } from 'react';

export const isVisible = (): boolean => document.visibilityState === 'visible';

/** Calls the listener when the tab is shown or hidden, and returns a function that unsubscribes. */
export function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

export const useIsVisible = (): boolean => useSyncExternalStore(onVisibility, isVisible);

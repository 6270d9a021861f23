import { useSyncExternalStore } from 'react';

export const isVisible = (): boolean => document.visibilityState === 'visible';

/** Calls the listener whenever the tab is hidden or shown. Returns a function that unsubscribes. */
export function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/** `isVisible` as a hook: the component renders again when it changes. */
export const useIsVisible = (): boolean => useSyncExternalStore(onVisibility, isVisible);

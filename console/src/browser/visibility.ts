import { useSyncExternalStore } from 'react';

/** Whether this tab is in front: a hidden one is looked at by nobody. */
export const isVisible = (): boolean => document.visibilityState === 'visible';

/** Calls back whenever the tab is hidden or shown; what it gives back ends that. */
export function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/** As `isVisible`, of a component that is drawn anew when it changes. */
export const useIsVisible = (): boolean => useSyncExternalStore(onVisibility, isVisible);

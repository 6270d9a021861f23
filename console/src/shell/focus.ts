import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Time within which Mantine itself restores the focus after a dialog or menu closes. */
const MANTINE_RESTORE_MS = 40;
const RETRY_MS = 50;
/** Attempts to restore the focus stop after three seconds. */
const MAX_ATTEMPTS = 60;

/** When the focused element disappears, focuses the link to the previous URL or, if there is none, the page heading. */
export function useRestoreFocus(): void {
  const { history } = useRouter();
  useEffect(() => {
    let focusedElement: Element | null = null;
    let currentUrl = history.location.href;
    let previousUrl = currentUrl;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = history.subscribe(({ location: { href } }) => {
      if (href !== currentUrl) [previousUrl, currentUrl] = [currentUrl, href];
    });
    const tryToFocus = (attempts: number) => {
      if (!hasNoFocus()) return;
      const target = findFocusTarget(previousUrl, attempts >= MAX_ATTEMPTS);
      if (target) target.focus({ preventScroll: true });
      else if (attempts < MAX_ATTEMPTS) timer = setTimeout(tryToFocus, RETRY_MS, attempts + 1);
    };
    const observer = new MutationObserver(() => {
      if (!focusedElement || focusedElement.isConnected || !hasNoFocus()) return;
      focusedElement = null;
      clearTimeout(timer);
      timer = setTimeout(tryToFocus, MANTINE_RESTORE_MS, 0);
    });
    const recordFocus = ({ target }: FocusEvent) => {
      focusedElement = target instanceof Element ? target : null;
    };
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', recordFocus);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      unsubscribe();
      document.removeEventListener('focusin', recordFocus);
    };
  }, [history]);
}

const hasNoFocus = () => document.activeElement === null || document.activeElement === document.body;

/** Returns the element to focus, or null while the page is still loading and the link may still appear. */
function findFocusTarget(previousUrl: string, isLate: boolean): HTMLElement | null {
  const dialog = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
  if (dialog) return dialog;
  const main = document.getElementById('main');
  const links = [...(main?.querySelectorAll<HTMLAnchorElement>('a[href]') ?? [])];
  const link = links.find(({ href }) => isSame(href, previousUrl));
  if (link) return link;
  const isLoading = main?.querySelector('[aria-busy="true"]');
  return isLoading && !isLate ? null : (main?.querySelector<HTMLElement>('h1') ?? null);
}

function isSame(first: string, second: string): boolean {
  const [a, b] = [first, second].map((address) => {
    const url = new URL(address, window.location.origin);
    url.searchParams.sort();
    return url.pathname + url.search;
  });
  return a === b;
}

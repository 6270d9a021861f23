import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Milliseconds in which Mantine itself restores the focus after closing a dialog or a menu. */
const OTHERS_FIRST_MS = 40;
const RETRY_MS = 50;
/** Gives up after three seconds. */
const MAX_ATTEMPTS = 60;

/** When the focused element disappears, focuses the link to the previous URL, or else the page heading. */
export function useRestoreFocus(): void {
  const { history } = useRouter();
  useEffect(() => {
    let holder: Element | null = null;
    let present = history.location.href;
    let last = present;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = history.subscribe(({ location: { href } }) => {
      if (href !== present) [last, present] = [present, href];
    });
    const look = (looks: number) => {
      if (!hasNoFocus()) return;
      const target = findFocusTarget(last, looks >= MAX_ATTEMPTS);
      if (target) target.focus({ preventScroll: true });
      else if (looks < MAX_ATTEMPTS) timer = setTimeout(look, RETRY_MS, looks + 1);
    };
    const observer = new MutationObserver(() => {
      if (!holder || holder.isConnected || !hasNoFocus()) return;
      holder = null;
      clearTimeout(timer);
      timer = setTimeout(look, OTHERS_FIRST_MS, 0);
    });
    const note = ({ target }: FocusEvent) => {
      holder = target instanceof Element ? target : null;
    };
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', note);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      unsubscribe();
      document.removeEventListener('focusin', note);
    };
  }, [history]);
}

const hasNoFocus = () => document.activeElement === null || document.activeElement === document.body;

/** The element to focus. Null while the page still loads and may yet contain the link. */
function findFocusTarget(lastAddress: string, isLate: boolean): HTMLElement | null {
  const dialog = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
  if (dialog) return dialog;
  const main = document.getElementById('main');
  const links = [...(main?.querySelectorAll<HTMLAnchorElement>('a[href]') ?? [])];
  const link = links.find(({ href }) => isSame(href, lastAddress));
  if (link) return link;
  const isWaiting = main?.querySelector('[aria-busy="true"]');
  return isWaiting && !isLate ? null : (main?.querySelector<HTMLElement>('h1') ?? null);
}

function isSame(first: string, second: string): boolean {
  const [a, b] = [first, second].map((address) => {
    const url = new URL(address, window.location.origin);
    url.searchParams.sort();
    return url.pathname + url.search;
  });
  return a === b;
}

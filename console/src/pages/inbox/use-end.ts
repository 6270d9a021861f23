import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Pixels from the end within which somebody reads what is newest. */
const NEAR = 80;

interface End {
  list: RefObject<HTMLUListElement | null>;
  /** Of the list, each time. */
  onScroll(): void;
  /** Goes to the end, and stays there for what comes next. */
  follow(): void;
}

/**
 * Keeps a list at its end as it grows there, for who reads at the end: whoever has scrolled back stays where they read.
 * @param newest what the list ends with
 */
export function useEnd(newest: string | undefined): End {
  const list = useRef<HTMLUListElement>(null);
  const isFollowed = useRef(true);
  const toEnd = () => list.current?.scrollTo({ top: list.current.scrollHeight });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new message is looked at.
  useLayoutEffect(() => {
    if (isFollowed.current) toEnd();
  }, [newest]);
  return {
    list,
    onScroll: () => {
      if (list.current) isFollowed.current = isNearEnd(list.current);
    },
    follow: () => {
      isFollowed.current = true;
      toEnd();
    },
  };
}

function isNearEnd({ scrollTop, clientHeight, scrollHeight }: HTMLElement): boolean {
  return scrollHeight - clientHeight - scrollTop <= NEAR;
}

import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Maximum distance in pixels at which the reader counts as being at the end. */
const END_DISTANCE = 80;

interface ScrollEnd {
  list: RefObject<HTMLUListElement | null>;
  onScroll(): void;
  follow(): void;
}

/**
 * Keeps a growing list scrolled to its end, unless the reader has scrolled back.
 * @param newest ID of the last entry
 */
export function useScrollEnd(newest: string | undefined): ScrollEnd {
  const list = useRef<HTMLUListElement>(null);
  const isFollowed = useRef(true);
  const scrollToEnd = () => list.current?.scrollTo({ top: list.current.scrollHeight });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new message.
  useLayoutEffect(() => {
    if (isFollowed.current) scrollToEnd();
  }, [newest]);
  return {
    list,
    onScroll: () => {
      if (list.current) isFollowed.current = isNearEnd(list.current);
    },
    follow: () => {
      isFollowed.current = true;
      scrollToEnd();
    },
  };
}

function isNearEnd({ scrollTop, clientHeight, scrollHeight }: HTMLElement): boolean {
  return scrollHeight - clientHeight - scrollTop <= END_DISTANCE;
}

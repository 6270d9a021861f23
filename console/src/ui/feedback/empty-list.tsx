import type { ReactNode } from 'react';
import type { IconName } from '../basics/icons.js';
import { EmptyState } from './empty-state.js';

interface EmptyListProps {
  /** Whether a search or filter is active, so that other entries may exist. */
  searched: boolean;
  /** Title if nothing matches the search. */
  notFound: string;
  notFoundHint?: string;
  icon: IconName;
  /** Title if there are no entries at all. */
  title: string;
  hint?: ReactNode;
  /** Button that creates the first entry. */
  action?: ReactNode;
}

/** `EmptyState` of a searchable list: either nothing matches or there are no entries. */
export function EmptyList({ searched, notFound, notFoundHint, ...none }: EmptyListProps) {
  return searched ? <EmptyState icon="search" title={notFound} hint={notFoundHint} /> : <EmptyState {...none} />;
}

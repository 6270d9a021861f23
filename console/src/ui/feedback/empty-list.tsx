import type { ReactNode } from 'react';
import type { IconName } from '../basics/icons.js';
import { EmptyState } from './empty-state.js';

interface EmptyListProps {
  /** Whether a search is active, in which case the list may have other entries. */
  isSearch: boolean;
  notFound: string;
  notFoundHint?: string;
  icon: IconName;
  title: string;
  hint?: ReactNode;
  action?: ReactNode;
}

export function EmptyList({ isSearch, notFound, notFoundHint, ...none }: EmptyListProps) {
  return isSearch ? <EmptyState icon="search" title={notFound} hint={notFoundHint} /> : <EmptyState {...none} />;
}

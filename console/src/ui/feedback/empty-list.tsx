import type { ReactNode } from 'react';
import type { IconName } from '../basics/icons.js';
import { EmptyState } from './empty-state.js';

interface EmptyListProps {
  /** Whether something was looked for: then there may be others. */
  searched: boolean;
  /** What is said where nothing was found. */
  notFound: string;
  notFoundHint?: string;
  icon: IconName;
  /** What is said where there is none at all. */
  title: string;
  hint?: ReactNode;
  /** The button that makes the first one. */
  action?: ReactNode;
}

/** In place of a list that can be searched: what was looked for is not there, or nothing is. */
export function EmptyList({ searched, notFound, notFoundHint, ...none }: EmptyListProps) {
  return searched ? <EmptyState icon="search" title={notFound} hint={notFoundHint} /> : <EmptyState {...none} />;
}

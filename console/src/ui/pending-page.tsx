import type { ReactNode } from 'react';
import { ErrorState } from './error-state.js';
import { LoadingState } from './loading-state.js';
import { Page } from './page.js';

interface PendingPageProps {
  title: string;
  back: ReactNode;
  /** Why it could not be fetched, if so. */
  error: unknown;
  onRetry(): void;
}

/** A page whose thing is on its way, or could not be fetched. */
export function PendingPage({ title, back, error, onRetry }: PendingPageProps) {
  return (
    <Page title={title} back={back}>
      {error ? <ErrorState error={error} onRetry={onRetry} /> : <LoadingState lines={6} />}
    </Page>
  );
}

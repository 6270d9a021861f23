import type { ReactNode } from 'react';
import { isGone } from '../../api/client/request.js';
import { ErrorState } from '../feedback/error-state.js';
import { LoadingState } from '../feedback/loading-state.js';
import { Page } from './page.js';

interface PendingPageProps {
  title: string;
  back: ReactNode;
  /** Null while loading. */
  error: unknown;
  onRetry(): void;
  /** Link to the list, shown instead of a retry button if the item does not exist. */
  alternative?: ReactNode;
}

export function PendingPage({ title, back, error, onRetry, alternative }: PendingPageProps) {
  const isMissing = alternative !== undefined && isGone(error);
  return (
    <Page title={title} back={back}>
      {!error && <LoadingState lines={6} />}
      {error !== null &&
        (isMissing ? (
          <ErrorState error={error} action={alternative} />
        ) : (
          <ErrorState error={error} onRetry={onRetry} />
        ))}
    </Page>
  );
}

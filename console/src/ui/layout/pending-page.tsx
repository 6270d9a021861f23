import type { ReactNode } from 'react';
import { isGone } from '../../api/asking/request.js';
import { ErrorState } from '../feedback/error-state.js';
import { LoadingState } from '../feedback/loading-state.js';
import { Page } from './page.js';

interface PendingPageProps {
  title: string;
  back: ReactNode;
  /** Why it could not be fetched, if so. */
  error: unknown;
  onRetry(): void;
  /** The way to what there is, in place of another try for what does not exist. */
  others?: ReactNode;
}

/** A page whose thing is on its way, or could not be fetched. */
export function PendingPage({ title, back, error, onRetry, others }: PendingPageProps) {
  const isMissing = others !== undefined && isGone(error);
  return (
    <Page title={title} back={back}>
      {!error && <LoadingState lines={6} />}
      {error !== null &&
        (isMissing ? <ErrorState error={error} action={others} /> : <ErrorState error={error} onRetry={onRetry} />)}
    </Page>
  );
}

import { QueryClient } from '@tanstack/react-query';
import { isBeingRemoved } from './removal.js';
import { ApiError } from './request.js';

/** Milliseconds for which cached data is used without refetching, unless the live stream marks it as stale. */
const FRESH_MS = 10_000;

/**
 * Query keys start with a topic (`messages`, `balance`, …) and an account ID, which is null for data of the whole installation.
 * The live stream invalidates queries by topic.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      enabled: ({ queryKey }) => !isBeingRemoved(queryKey),
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      retryDelay: (count) => 500 * 2 ** count,
    },
  },
});

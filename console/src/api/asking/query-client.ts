import { QueryClient } from '@tanstack/react-query';
import { isLeaving } from './removal.js';
import { ApiError } from './request.js';

/** Milliseconds for which an answer is used again without asking, unless the live stream says that it is stale. */
const FRESH_MS = 10_000;

/**
 * The first part of a query's key is its topic (`messages`, `balance`, …), the second the account, or null for what
 * belongs to none; the live stream says by topic what is stale.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      enabled: ({ queryKey }) => !isLeaving(queryKey),
      // What the server refused it refuses again.
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      retryDelay: (count) => 500 * 2 ** count,
    },
  },
});

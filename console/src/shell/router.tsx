import { createRouter } from '@tanstack/react-router';
import { queryClient } from '../api/client/query-client.js';
import { onSignedOut, trackPresence } from '../api/client/request.js';
import { sessionQuery } from '../api/session.js';
import { forgetDrafts } from '../browser/drafts.js';
import { parseSearch, stringifySearch } from '../browser/search.js';
import { forgetSecrets } from '../browser/secrets.js';
import { followSession } from '../session/follow-session.js';
import { isAnotherOperator } from '../session/last-operator.js';
import { isInUse } from '../session/presence.js';
import { ErrorState } from '../ui/feedback/error-state.js';
import { LoadingState } from '../ui/feedback/loading-state.js';
import { NotFound } from './not-found.js';
import { routes } from './routes.js';

export const router = createRouter({
  routeTree: routes,
  basepath: '/console',
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
  defaultPreload: 'intent',
  // Preloading fetches only a page's code, because pages cache their own data.
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 200,
  defaultErrorComponent: ({ error, reset }) => <ErrorState error={error} onRetry={reset} />,
  defaultPendingComponent: () => <LoadingState />,
  defaultNotFoundComponent: () => <NotFound />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

trackPresence(isInUse);

// If the session ends elsewhere, signing in again returns the operator to the current page.
followSession(queryClient, {
  sessionKey: sessionQuery.queryKey,
  isOtherOperator: isAnotherOperator,
  forgetOperator: () => {
    forgetSecrets();
    forgetDrafts();
  },
  recheckRoute: () => void router.invalidate(),
});
onSignedOut(() => {
  if (queryClient.getQueryData(sessionQuery.queryKey)) queryClient.setQueryData(sessionQuery.queryKey, null);
});

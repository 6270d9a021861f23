import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from '../../browser/search.js';
import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { Page } from '../../ui/layout/page.js';
import { OperationList } from './operation-list.js';
import { listOperations, type OpenApiDocument } from './operations.js';
import classes from './playground-page.module.css';
import { Workbench } from './workbench.js';

const FIRST = 'send';

export function PlaygroundPage() {
  const [params, setParams] = useSearchParams();
  const {
    data: operations,
    error,
    refetch,
  } = useQuery({
    queryKey: ['openapi'],
    queryFn: async ({ signal }) => {
      const response = await fetch('/openapi.json', { signal });
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      return listOperations((await response.json()) as OpenApiDocument);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!operations) {
    return (
      <Page title={text.playground.title}>
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />}
      </Page>
    );
  }
  const operation = operations.find(({ id }) => id === (params.operation ?? FIRST));
  return (
    <Page title={text.playground.title} lead={text.playground.lead}>
      <div className={classes.columns}>
        <aside className={classes.operations}>
          <OperationList
            operations={operations}
            chosen={operation?.id}
            onChoose={(id) => setParams({ operation: id })}
          />
        </aside>
        {operation ? (
          <Workbench
            key={operation.id}
            operation={operation}
            callerId={params.with}
            to={params.to}
            onCaller={(id) => setParams({ with: id }, { replace: true })}
          />
        ) : (
          <EmptyState icon="play" title={text.playground.unknown} hint={text.playground.unknownHint} />
        )}
      </div>
    </Page>
  );
}

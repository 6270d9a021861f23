import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';
import { FirstSteps } from './first-steps.js';

export function OverviewPage() {
  return (
    <Page title={text.overview.title}>
      <FirstSteps />
      <EmptyState icon="chart" title={text.common.nothing} />
    </Page>
  );
}

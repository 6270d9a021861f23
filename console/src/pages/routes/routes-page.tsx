import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function RoutesPage() {
  return (
    <Page title={text.routes.title}>
      <EmptyState icon="route" title={text.common.nothing} />
    </Page>
  );
}

import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function CarriersPage() {
  return (
    <Page title={text.carriers.title}>
      <EmptyState icon="tower" title={text.common.nothing} />
    </Page>
  );
}

import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function OptOutsPage() {
  return (
    <Page title={text.optOuts.title}>
      <EmptyState icon="ban" title={text.common.nothing} />
    </Page>
  );
}

import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function WebhooksPage() {
  return (
    <Page title={text.webhooks.title}>
      <EmptyState icon="webhook" title={text.common.nothing} />
    </Page>
  );
}

import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function InboxPage() {
  return (
    <Page title={text.inbox.title}>
      <EmptyState icon="inbox" title={text.common.nothing} />
    </Page>
  );
}

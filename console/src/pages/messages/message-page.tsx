import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function MessagePage() {
  return (
    <Page title={text.messages.messageTitle}>
      <EmptyState icon="message" title={text.common.nothing} />
    </Page>
  );
}

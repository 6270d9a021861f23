import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function MessagesPage() {
  return (
    <Page title={text.messages.title}>
      <EmptyState icon="message" title={text.common.nothing} />
    </Page>
  );
}

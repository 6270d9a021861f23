import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function ContactsPage() {
  return (
    <Page title={text.contacts.title}>
      <EmptyState icon="user" title={text.common.nothing} />
    </Page>
  );
}

import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function AccountsPage() {
  return (
    <Page title={text.accounts.title}>
      <EmptyState icon="building" title={text.common.nothing} />
    </Page>
  );
}

import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function GroupsPage() {
  return (
    <Page title={text.groups.title}>
      <EmptyState icon="users" title={text.common.nothing} />
    </Page>
  );
}

import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function AuditPage() {
  return (
    <Page title={text.audit.title}>
      <EmptyState icon="list" title={text.common.nothing} />
    </Page>
  );
}

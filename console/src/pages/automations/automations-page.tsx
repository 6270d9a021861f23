import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function AutomationsPage() {
  return (
    <Page title={text.automations.title}>
      <EmptyState icon="flow" title={text.common.nothing} />
    </Page>
  );
}

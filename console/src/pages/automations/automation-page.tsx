import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function AutomationPage() {
  return (
    <Page title={text.automations.automationTitle}>
      <EmptyState icon="flow" title={text.common.nothing} />
    </Page>
  );
}

import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function AccountSettingsPage() {
  return (
    <Page title={text.accountSettings.title}>
      <EmptyState icon="settings" title={text.common.nothing} />
    </Page>
  );
}

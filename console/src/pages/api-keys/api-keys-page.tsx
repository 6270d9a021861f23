import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function ApiKeysPage() {
  return (
    <Page title={text.apiKeys.title}>
      <EmptyState icon="key" title={text.common.nothing} />
    </Page>
  );
}

import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function MePage() {
  return (
    <Page title={text.me.title}>
      <EmptyState icon="shield" title={text.common.nothing} />
    </Page>
  );
}

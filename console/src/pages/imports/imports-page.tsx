import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function ImportsPage() {
  return (
    <Page title={text.imports.title}>
      <EmptyState icon="upload" title={text.common.nothing} />
    </Page>
  );
}

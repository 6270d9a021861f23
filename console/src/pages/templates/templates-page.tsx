import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function TemplatesPage() {
  return (
    <Page title={text.templates.title}>
      <EmptyState icon="template" title={text.common.nothing} />
    </Page>
  );
}

import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function OperatorsPage() {
  return (
    <Page title={text.operators.title}>
      <EmptyState icon="users" title={text.common.nothing} />
    </Page>
  );
}

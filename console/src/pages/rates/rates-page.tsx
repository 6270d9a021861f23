import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function RatesPage() {
  return (
    <Page title={text.rates.title}>
      <EmptyState icon="coins" title={text.common.nothing} />
    </Page>
  );
}

import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function CampaignsPage() {
  return (
    <Page title={text.campaigns.title}>
      <EmptyState icon="megaphone" title={text.common.nothing} />
    </Page>
  );
}

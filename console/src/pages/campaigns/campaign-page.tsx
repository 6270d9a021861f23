import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function CampaignPage() {
  return (
    <Page title={text.campaigns.campaignTitle}>
      <EmptyState icon="megaphone" title={text.common.nothing} />
    </Page>
  );
}

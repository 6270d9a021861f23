import { text } from '../text/en.js';
import { EmptyState } from '../ui/feedback/empty-state.js';
import { Page } from '../ui/layout/page.js';

/** Page for operators who cannot see any account yet. */
export function NoAccountPage() {
  return (
    <Page title={text.shell.name}>
      <EmptyState icon="building" title={text.shell.noAccounts} hint={text.shell.noAccountsHint} />
    </Page>
  );
}

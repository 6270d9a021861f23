import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { accountSettingsQuery } from '../../api/installation/accounts.js';
import { useAccountId } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { Page } from '../../ui/layout/page.js';
import { ChannelsSection } from './channels-section.js';
import { ContactFieldsSection } from './contact-fields-section.js';
import { FundsSection } from './funds-section.js';
import { GuardSection } from './guard-section.js';
import { LedgerSection } from './ledger-section.js';
import { SettingsSection } from './settings-section.js';
import { ShortLinksSection } from './short-links-section.js';

const words = text.accountSettings;

export function AccountSettingsPage() {
  const accountId = useAccountId();
  const { data: account, error, refetch } = useQuery(accountSettingsQuery(accountId));
  return (
    <Page title={words.title} lead={account?.name}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!account && !error && <LoadingState lines={6} />}
      {account && (
        <>
          {!account.isActive && (
            <Alert color="yellow" variant="light" icon={<Icon name="warning" />}>
              {words.isOff}
            </Alert>
          )}
          <FundsSection account={account} />
          <SettingsSection key={account.id} account={account} />
          <GuardSection key={`guard ${account.id}`} accountId={account.id} />
          <ChannelsSection accountId={account.id} />
          <ContactFieldsSection accountId={account.id} />
          <ShortLinksSection accountId={account.id} />
          <LedgerSection account={account} />
        </>
      )}
    </Page>
  );
}

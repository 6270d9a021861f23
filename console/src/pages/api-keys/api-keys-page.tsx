import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type Key, keysQuery, useRevoke } from '../../api/account/keys.js';
import { useAccount, useAccountId, useCan } from '../../session/session.js';
import { NoChannel } from '../../shared/channel-required.js';
import { KeyTable } from '../../shared/key-table.js';
import { text } from '../../text/en.js';
import { AddButton } from '../../ui/basics/add-button.js';
import { Page } from '../../ui/layout/page.js';
import type { Column } from '../../ui/tables/data-table.js';
import { GenerateKey } from './generate-key.js';

export function ApiKeysPage() {
  const accountId = useAccountId();
  const account = useAccount();
  const mayChange = useCan('developer');
  const hasNoChannel = account?.channels.length === 0;
  const [generating, { open, close }] = useDisclosure();
  const { data: keys, error, refetch } = useQuery(keysQuery(accountId));
  const revoke = useRevoke(accountId, 'keys');
  const channelName = (channelId: string) => account?.channels.find(({ id }) => id === channelId)?.name ?? channelId;
  const scopeNames: Readonly<Record<string, string>> = text.apiKeys.scopeNames;
  const generate = !hasNoChannel && <AddButton onClick={open}>{text.apiKeys.generate}</AddButton>;
  const columns: Column<Key>[] = [
    { key: 'name', header: text.apiKeys.name, bare: true, render: ({ name }) => name },
    {
      key: 'channels',
      header: text.apiKeys.channels,
      render: ({ channelIds }) => channelIds.map(channelName).join(', '),
    },
    {
      key: 'scopes',
      header: text.apiKeys.scopes,
      render: ({ scopes }) => scopes.map((scope) => scopeNames[scope] ?? scope).join(', '),
    },
  ];
  return (
    <Page title={text.apiKeys.title} lead={text.apiKeys.lead} actions={mayChange && generate}>
      {hasNoChannel && <NoChannel />}
      {!(hasNoChannel && keys?.length === 0) && (
        <KeyTable
          caption={text.apiKeys.caption}
          words={text.apiKeys}
          columns={columns}
          rows={keys}
          error={error}
          onRetry={() => void refetch()}
          create={mayChange && generate}
          onRevoke={mayChange ? revoke.mutateAsync : undefined}
        />
      )}
      <GenerateKey accountId={accountId} channels={account?.channels ?? []} opened={generating} onClose={close} />
    </Page>
  );
}

import { Button, Code } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type Key, keysQuery, useRevoke } from '../../api/keys.js';
import { useAccount, useAccountId, useCan } from '../../app/session.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Icon } from '../../ui/icons.js';
import { Page } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { TimeText } from '../../ui/time-text.js';
import { GenerateKey } from './generate-key.js';

/** Settings → API: the keys of channels. */
export function ApiKeysPage() {
  const accountId = useAccountId();
  const account = useAccount();
  const mayChange = useCan('developer');
  const [generating, { open, close }] = useDisclosure();
  const { data: keys, error, refetch } = useQuery(keysQuery(accountId));
  const revoke = useRevoke(accountId, 'keys');
  const nameOf = (channelId: string) => account?.channels.find(({ id }) => id === channelId)?.name ?? channelId;
  const scopeNames: Readonly<Record<string, string>> = text.apiKeys.scopeNames;
  const generate = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
      {text.apiKeys.generate}
    </Button>
  );
  const columns: Column<Key>[] = [
    { key: 'name', header: text.apiKeys.name, bare: true, render: ({ name }) => name },
    {
      key: 'channels',
      header: text.apiKeys.channels,
      render: ({ channelIds }) => channelIds.map(nameOf).join(', '),
    },
    {
      key: 'scopes',
      header: text.apiKeys.scopes,
      render: ({ scopes }) => scopes.map((scope) => scopeNames[scope] ?? scope).join(', '),
    },
    { key: 'key', header: text.apiKeys.key, nowrap: true, render: ({ lastFour }) => <Code>…{lastFour}</Code> },
    { key: 'created', header: text.apps.created, render: ({ createdAt }) => <TimeText value={createdAt} as="date" /> },
    {
      key: 'used',
      header: text.apps.lastUse,
      render: ({ lastUsedAt }) => <TimeText value={lastUsedAt} as="ago" none={text.common.never} />,
    },
    {
      key: 'state',
      header: text.apps.state,
      render: ({ revokedAt }) => <StatusBadge status={revokedAt ? 'revoked' : 'active'} />,
    },
    {
      key: 'actions',
      header: text.common.actions,
      bare: true,
      align: 'right',
      render: ({ id, name, revokedAt }) =>
        mayChange &&
        !revokedAt && (
          <ConfirmButton
            size="xs"
            aria-label={text.apiKeys.revokeNamed(name)}
            title={text.apiKeys.revokeTitle(name)}
            consequence={text.apiKeys.revokeConsequence}
            confirm={text.apiKeys.revokeConfirm}
            onConfirm={() => revoke.mutateAsync(id)}
          >
            {text.common.revoke}
          </ConfirmButton>
        ),
    },
  ];
  return (
    <Page title={text.apiKeys.title} lead={text.apiKeys.lead} actions={mayChange && generate}>
      <DataTable
        caption={text.apiKeys.caption}
        columns={columns}
        rows={keys}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState
            icon="key"
            title={text.apiKeys.empty}
            hint={text.apiKeys.emptyHint}
            action={mayChange ? generate : undefined}
          />
        }
      />
      <GenerateKey accountId={accountId} channels={account?.channels ?? []} opened={generating} onClose={close} />
    </Page>
  );
}

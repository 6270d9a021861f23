import { Button, Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type App, appsQuery, useRevoke } from '../../api/keys.js';
import { useSearchParams } from '../../app/search.js';
import { useAccountId, useCan } from '../../app/session.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Icon } from '../../ui/icons.js';
import { Page } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { TimeText } from '../../ui/time-text.js';
import { CreateApp } from './create-app.js';

/** Developers → Apps: the keys of the REST API. */
export function AppsPage() {
  const accountId = useAccountId();
  const mayChange = useCan('developer');
  const [params, setParams] = useSearchParams();
  // In the address, so that other pages can lead to the very dialog.
  const creating = mayChange && params.create === 'yes';
  const open = () => setParams({ create: 'yes' }, { replace: true });
  const close = () => setParams({ create: undefined }, { replace: true });
  const { data: apps, error, refetch } = useQuery(appsQuery(accountId));
  const revoke = useRevoke(accountId, 'apps');
  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
      {text.apps.create}
    </Button>
  );
  const columns: Column<App>[] = [
    { key: 'name', header: text.apps.name, bare: true, render: ({ name }) => name },
    { key: 'scope', header: text.apps.scope, render: () => text.apps.rest },
    { key: 'key', header: text.apps.key, nowrap: true, render: ({ lastFour }) => <Code>…{lastFour}</Code> },
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
            aria-label={text.apps.revokeNamed(name)}
            title={text.apps.revokeTitle(name)}
            consequence={text.apps.revokeConsequence}
            confirm={text.apps.revokeConfirm}
            onConfirm={() => revoke.mutateAsync(id)}
          >
            {text.common.revoke}
          </ConfirmButton>
        ),
    },
  ];
  return (
    <Page title={text.apps.title} lead={text.apps.lead} actions={mayChange && create}>
      <DataTable
        caption={text.apps.title}
        columns={columns}
        rows={apps}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState
            icon="key"
            title={text.apps.empty}
            hint={text.apps.emptyHint}
            action={mayChange ? create : undefined}
          />
        }
      />
      <CreateApp accountId={accountId} opened={creating} onClose={close} />
    </Page>
  );
}

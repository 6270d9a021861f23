import { useQuery } from '@tanstack/react-query';
import { type App, appsQuery, useRevoke } from '../../api/account/keys.js';
import { useSearchParams } from '../../browser/search.js';
import { useAccountId, useCan } from '../../session/session.js';
import { KeyTable } from '../../shared/key-table.js';
import { text } from '../../text/en.js';
import { AddButton } from '../../ui/basics/add-button.js';
import { Page } from '../../ui/layout/page.js';
import type { Column } from '../../ui/tables/data-table.js';
import { CreateApp } from './create-app.js';
import { TwilioSection } from './twilio-section.js';

export function AppsPage() {
  const accountId = useAccountId();
  const mayChange = useCan('developer');
  const [params, setParams] = useSearchParams();
  // The URL contains whether the dialog is open, so that other pages can link to the dialog.
  const isCreating = mayChange && params.create === 'yes';
  const open = () => setParams({ create: 'yes' }, { replace: true });
  const close = () => setParams({ create: undefined }, { replace: true });
  const { data: apps, error, refetch } = useQuery(appsQuery(accountId));
  const revoke = useRevoke(accountId, 'apps');
  const create = <AddButton onClick={open}>{text.apps.create}</AddButton>;
  return (
    <Page title={text.apps.title} lead={text.apps.lead} actions={mayChange && create}>
      <KeyTable
        caption={text.apps.title}
        words={text.apps}
        columns={COLUMNS}
        rows={apps}
        error={error}
        onRetry={() => void refetch()}
        create={mayChange && create}
        onRevoke={mayChange ? revoke.mutateAsync : undefined}
      />
      <TwilioSection accountId={accountId} />
      <CreateApp accountId={accountId} opened={isCreating} onClose={close} />
    </Page>
  );
}

const COLUMNS: readonly Column<App>[] = [
  { key: 'name', header: text.apps.name, bare: true, render: ({ name }) => name },
  { key: 'scope', header: text.apps.scope, render: () => text.apps.rest },
];

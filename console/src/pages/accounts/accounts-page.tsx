import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useKeyPages } from '../../api/client/key-pages.js';
import type { Account } from '../../api/installation/accounts.js';
import { useSearchParams } from '../../browser/search.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { useAddDialog } from '../../ui/basics/use-add-dialog.js';
import { EmptyList } from '../../ui/feedback/empty-list.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable, nameColumn } from '../../ui/tables/data-table.js';
import { Money } from '../../ui/values/numbers.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { NewAccountDialog } from './account-form.js';

const words = text.accounts;

export function AccountsPage() {
  const [params, setParams] = useSearchParams();
  const pages = useKeyPages({
    queryKey: ['accounts', null],
    endpoint: 'GET /accounts',
    query: { search: params.search },
  });
  const navigate = useNavigate();
  const canChange = useCan('owner', 'installation');
  const { add, dialog } = useAddDialog(words.add, canChange, (onClose) => <NewAccountDialog onClose={onClose} />);
  return (
    <Page title={words.title} lead={words.lead} actions={add}>
      <TextInput
        label={words.find}
        maw={360}
        value={params.search ?? ''}
        onChange={(event) => setParams({ search: event.currentTarget.value }, { replace: true })}
      />
      <DataTable
        caption={words.title}
        columns={COLUMNS}
        pages={pages}
        onOpen={({ id }) => void navigate({ to: '/a/$accountId/settings', params: { accountId: id } })}
        empty={
          <EmptyList
            isSearch={Boolean(params.search)}
            notFound={words.noneFound}
            icon="building"
            title={words.empty}
            hint={words.emptyHint}
            action={add}
          />
        }
      />
      {dialog}
    </Page>
  );
}

const COLUMNS: readonly Column<Account>[] = [
  nameColumn(words.name, ({ id, name }) => (
    <TextLink to="/a/$accountId/settings" params={{ accountId: id }}>
      {name}
    </TextLink>
  )),
  {
    key: 'balance',
    header: words.balance,
    align: 'right',
    nowrap: true,
    render: ({ balance, currency }) => <Money amount={balance} currency={currency} />,
  },
  { key: 'rates', header: words.rateCard, render: ({ rateCard }) => rateCard },
  {
    key: 'state',
    header: words.state,
    render: ({ isActive }) => (
      <StatusBadge status={isActive ? 'active' : 'disabled'} label={isActive ? words.on : words.off} />
    ),
  },
  {
    key: 'created',
    header: words.createdAt,
    nowrap: true,
    render: ({ createdAt }) => <TimeText value={createdAt} as="date" />,
  },
];

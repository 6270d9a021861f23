import { NativeSelect } from '@mantine/core';
import { useKeyPages } from '../../api/client/key-pages.js';
import type { AccountSettings, LedgerEntry } from '../../api/installation/accounts.js';
import { useSearchParams } from '../../browser/search.js';
import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { Section } from '../../ui/layout/section.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { Money, NumberText } from '../../ui/values/numbers.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';

const words = text.accountSettings;
const COLORS = { credit: 'green', charge: 'gray', refund: 'blue' } as const;

export function LedgerSection({ account: { id, currency } }: { account: AccountSettings }) {
  const [params, setParams] = useSearchParams();
  const pages = useKeyPages({
    queryKey: ['balance', id, 'ledger'],
    endpoint: 'GET /accounts/:accountId/ledger',
    params: { accountId: id },
    query: { kind: params.kind },
    limit: 20,
  });
  const columns: readonly Column<LedgerEntry>[] = [
    {
      key: 'time',
      header: words.ledgerTime,
      nowrap: true,
      bare: true,
      render: ({ createdAt }) => <TimeText value={createdAt} />,
    },
    {
      key: 'kind',
      header: words.ledgerKind,
      render: ({ kind }) => <StatusBadge status={kind} label={words.ledgerKinds[kind]} color={COLORS[kind]} />,
    },
    {
      key: 'amount',
      header: words.ledgerAmount,
      align: 'right',
      nowrap: true,
      render: ({ amount }) => <Money amount={amount} currency={currency} />,
    },
    {
      key: 'after',
      header: words.ledgerAfter,
      align: 'right',
      nowrap: true,
      render: ({ balanceAfter }) => <Money amount={balanceAfter} currency={currency} />,
    },
    {
      key: 'messages',
      header: words.ledgerMessages,
      align: 'right',
      render: ({ kind, messageCount }) => <NumberText value={kind === 'credit' ? null : messageCount} />,
    },
    { key: 'note', header: words.ledgerNote, breaks: true, render: ({ note }) => note ?? '' },
  ];
  return (
    <Section title={words.ledger} lead={words.ledgerLead}>
      <NativeSelect
        label={words.ledgerKind}
        maw={200}
        data={[
          { value: '', label: words.ledgerAll },
          ...Object.entries(words.ledgerKinds).map(([value, label]) => ({ value, label })),
        ]}
        value={params.kind ?? ''}
        onChange={(event) => setParams({ kind: event.currentTarget.value })}
      />
      <DataTable
        caption={words.ledgerTable}
        columns={columns}
        pages={pages}
        empty={<EmptyState icon="coins" title={words.ledgerEmpty} />}
      />
    </Section>
  );
}

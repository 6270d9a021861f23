import { Code, Stack, Text } from '@mantine/core';
import { type KeyPages, useKeyPages } from '../../api/client/key-pages.js';
import type { AuditLine } from '../../api/operators/audit.js';
import { useSearchParams } from '../../browser/search.js';
import { useAccountId } from '../../session/session.js';
import { text } from '../../text/en.js';
import { EmptyList } from '../../ui/feedback/empty-list.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { TimeText } from '../../ui/values/time-text.js';
import { AuditFilters } from './audit-filters.js';
import { Changes, Named } from './changes.js';
import classes from './changes.module.css';

const words = text.audit;

export function AuditPage() {
  const query = useFilter();
  const pages = useKeyPages({ queryKey: ['audit', null], endpoint: 'GET /audit', query });
  return <AuditLog accountId={null} filter={query} pages={pages} columns={COLUMNS} />;
}

export function AccountAuditPage() {
  const accountId = useAccountId();
  const columns = COLUMNS.filter(({ key }) => key !== 'account');
  const query = useFilter();
  const pages = useKeyPages({
    queryKey: ['audit', accountId],
    endpoint: 'GET /accounts/:accountId/audit',
    params: { accountId },
    query,
  });
  return <AuditLog accountId={accountId} filter={query} pages={pages} columns={columns} />;
}

interface AuditLogProps {
  accountId: string | null;
  filter: ReturnType<typeof useFilter>;
  pages: KeyPages<AuditLine>;
  columns: readonly Column<AuditLine>[];
}

function useFilter() {
  const [{ actor, action, subject, from, to }] = useSearchParams();
  return { actor, action, subject, from, to };
}

function AuditLog({ accountId, filter, pages, columns }: AuditLogProps) {
  return (
    <Page title={words.title} lead={accountId === null ? words.lead : words.leadOfAccount}>
      <AuditFilters key={JSON.stringify(filter)} filter={filter} />
      <DataTable
        caption={words.caption}
        columns={columns}
        pages={pages}
        empty={
          <EmptyList
            isSearch={Object.values(filter).some(Boolean)}
            notFound={words.noneFound}
            notFoundHint={words.noneFoundHint}
            icon="list"
            title={words.empty}
          />
        }
      />
    </Page>
  );
}

const COLUMNS: readonly Column<AuditLine>[] = [
  { key: 'at', header: words.time, bare: true, nowrap: true, render: ({ at }) => <TimeText value={at} /> },
  {
    key: 'who',
    header: words.actor,
    render: ({ actor: { kind, name, id } }) => (
      <Stack gap={0}>
        <span title={id ?? undefined}>{name}</span>
        {kind !== 'operator' && (
          <Text span size="sm" c="dimmed">
            {words.kinds[kind]}
          </Text>
        )}
      </Stack>
    ),
  },
  { key: 'action', header: words.action, nowrap: true, render: ({ action }) => <Code>{action}</Code> },
  {
    key: 'account',
    header: words.account,
    render: ({ accountId, names }) => (
      <span className={classes.whole}>
        {accountId === null ? words.installation : <Named id={accountId} names={names} />}
      </span>
    ),
  },
  {
    key: 'change',
    header: words.change,
    render: (line) => <Changes {...line} />,
  },
  { key: 'address', header: words.address, nowrap: true, render: ({ actor: { address } }) => address ?? '–' },
];

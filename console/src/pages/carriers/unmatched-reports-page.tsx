import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Entry } from '../../api/client/call.js';
import { useKeyPages } from '../../api/client/key-pages.js';
import { replayKeptReports } from '../../api/installation/carriers.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { TextLink } from '../../ui/basics/links.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { notify, notifyError } from '../../ui/feedback/notices.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { formatNumber } from '../../ui/values/numbers.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { formatTime, TimeText } from '../../ui/values/time-text.js';

const words = text.carriers;

type Report = Entry<'GET /carriers/:name/kept-reports'>;

/** Lists unmatched reports without their bodies, which only the CLI shows. */
export function KeptReportsPage() {
  const { name } = useParams({ strict: false }) as { name: string };
  const pages = useKeyPages({
    queryKey: ['kept-reports', null, name],
    endpoint: 'GET /carriers/:name/kept-reports',
    params: { name },
    query: {},
    pollInterval: (rows) => rows.some(({ isAsked }) => isAsked) && POLL_MS,
  });
  const mayReplay = useCan('owner', 'installation');
  const back = (
    <TextLink to="/installation/carriers" size="sm">
      {words.title}
    </TextLink>
  );
  return (
    <Page
      title={words.unmatchedTitle(name)}
      lead={words.unmatchedLead}
      back={back}
      actions={
        mayReplay && <ReplayButton name={name} label={words.replayAll} icon={<Icon name="refresh" size={16} />} />
      }
    >
      <DataTable
        caption={words.unmatchedTitle(name)}
        columns={mayReplay ? [...COLUMNS, actionColumn(name)] : COLUMNS}
        pages={pages}
        empty={<EmptyState icon="tower" title={words.noUnmatched} hint={words.noUnmatchedHint} />}
      />
    </Page>
  );
}

/** Milliseconds between refetches while reports are being replayed. */
const POLL_MS = 1_000;

interface ReplayButtonProps {
  name: string;
  report?: Report;
  label: string;
  icon?: ReactNode;
}

function ReplayButton({ name, report, label, icon }: ReplayButtonProps) {
  const client = useQueryClient();
  const replay = useMutation({
    mutationFn: () => replayKeptReports(name, report?.id),
    onSuccess: ({ reports, callbacks }) => {
      void client.invalidateQueries({ queryKey: ['kept-reports'] });
      notify(reports + callbacks === 0 ? words.replayNone : words.replayRequested(formatNumber(reports + callbacks)));
    },
    onError: notifyError,
  });
  return (
    <Button
      variant="default"
      size={report ? 'xs' : 'sm'}
      leftSection={icon}
      loading={replay.isPending}
      onClick={() => replay.mutate()}
      aria-label={report && words.replayOne(report.kind, formatTime(report.receivedAt))}
    >
      {label}
    </Button>
  );
}

const actionColumn = (name: string): Column<Report> => ({
  key: 'actions',
  header: words.replay,
  render: (report) =>
    report.isAsked ? (
      <StatusBadge status="queued" label={words.replaying} color="blue" />
    ) : (
      <ReplayButton name={name} report={report} label={words.replay} />
    ),
});

const COLUMNS: readonly Column<Report>[] = [
  {
    key: 'at',
    header: words.unmatchedAt,
    nowrap: true,
    render: ({ receivedAt }) => <TimeText value={receivedAt} as="exact" />,
  },
  { key: 'kind', header: words.unmatchedKind, render: ({ kind }) => kind },
  { key: 'reason', header: words.unmatchedReason, render: ({ reason }) => words.unmatchedReasons[reason] ?? reason },
  { key: 'id', header: words.unmatchedId, render: ({ id }) => id },
];

import { Progress, Group as Row, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useKeyPages } from '../../api/client/key-pages.js';
import { discardImport, type Import } from '../../api/imports.js';
import { useSearchParams } from '../../browser/search.js';
import { useCan } from '../../session/session.js';
import { ChannelRequired } from '../../shared/channel-required.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { Page } from '../../ui/layout/page.js';
import { actionsColumn, type Column, DataTable, nameColumn } from '../../ui/tables/data-table.js';
import { formatNumber, NumberText } from '../../ui/values/numbers.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { NewImport } from './new-import.js';
import { RefusedLink } from './refused-link.js';

const words = text.imports;

export function ImportsPage() {
  const mayChange = useCan('developer');
  const [{ start }] = useSearchParams();
  return (
    <Page title={words.title} lead={words.lead}>
      <ChannelRequired>
        {(channelRef) => (
          <Stack gap="lg" key={channelRef.channelId}>
            {mayChange && <NewImport channelRef={channelRef} atOnce={start === 'file'} />}
            <Imports channelRef={channelRef} mayChange={mayChange} />
          </Stack>
        )}
      </ChannelRequired>
    </Page>
  );
}

function Imports({ channelRef, mayChange }: { channelRef: ChannelRef; mayChange: boolean }) {
  const client = useQueryClient();
  const pages = useKeyPages({
    queryKey: ['imports', channelRef.accountId, channelRef.channelId, 'list'],
    endpoint: 'GET /accounts/:accountId/channels/:channelId/imports',
    params: channelRef,
  });
  const discard = async (id: string) => {
    await discardImport(channelRef, id);
    notify(words.discarded);
    await client.invalidateQueries({ queryKey: ['imports', channelRef.accountId] });
  };
  const number = (key: 'created' | 'updated' | 'unchanged'): Column<Import> => ({
    key,
    header: words.counts[key],
    align: 'right',
    render: (job) => <NumberText value={job[key]} />,
  });
  const columns: Column<Import>[] = [
    nameColumn(words.file, ({ fileName, errorMessage }) => (
      <Stack gap={2}>
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          {fileName ?? '–'}
        </Text>
        {errorMessage && (
          <Text size="sm" c="red">
            {errorMessage}
          </Text>
        )}
      </Stack>
    )),
    { key: 'started', header: words.started, nowrap: true, render: ({ createdAt }) => <TimeText value={createdAt} /> },
    { key: 'status', header: words.status, render: (job) => <ImportStatus job={job} /> },
    number('created'),
    number('updated'),
    number('unchanged'),
    {
      key: 'refused',
      header: words.counts.refused,
      align: 'right',
      render: ({ id, refused, status }) => (
        <Row gap="xs" justify="flex-end" wrap="nowrap">
          <NumberText value={refused} />
          {refused > 0 && status !== 'running' && <RefusedLink channelRef={channelRef} id={id} />}
        </Row>
      ),
    },
  ];
  if (mayChange) {
    columns.push(
      actionsColumn(
        ({ id, status }) =>
          status === 'receiving' && (
            <ConfirmButton size="xs" {...words.discardQuestion()} onConfirm={() => discard(id)}>
              {words.discard}
            </ConfirmButton>
          ),
      ),
    );
  }
  return (
    <DataTable
      caption={words.title}
      columns={columns}
      pages={pages}
      empty={<EmptyState icon="upload" title={words.empty} hint={words.emptyHint} />}
    />
  );
}

function ImportStatus({ job: { status, rows, totalRows } }: { job: Import }) {
  if (status !== 'running' || !totalRows) return <StatusBadge status={status} />;
  const done = words.working(formatNumber(rows), formatNumber(totalRows));
  return (
    <Stack gap={4} miw={140}>
      <Progress value={(100 * rows) / totalRows} aria-label={words.progress} />
      <Text size="xs">{done}</Text>
    </Stack>
  );
}

import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { endOtherSessions, endSession, type OwnSessionEntry, ownSessionsQuery } from '../../api/operators/me.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { Section } from '../../ui/layout/section.js';
import { actionsColumn, type Column, DataTable } from '../../ui/tables/data-table.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { describeBrowser } from './browser-name.js';

export function SessionsSection() {
  const client = useQueryClient();
  const { data: sessions, error, refetch } = useQuery(ownSessionsQuery);
  const refresh = () => client.invalidateQueries({ queryKey: ownSessionsQuery.queryKey });
  const columns: Column<OwnSessionEntry>[] = [
    {
      key: 'browser',
      header: text.me.browser,
      bare: true,
      render: ({ userAgent, isThis }) => (
        <>
          {describeBrowser(userAgent) ?? text.me.browserUnknown}{' '}
          {isThis && <StatusBadge status="active" label={text.me.thisSession} />}
        </>
      ),
    },
    { key: 'address', header: text.me.address, nowrap: true, render: ({ address }) => address ?? '–' },
    {
      key: 'way',
      header: text.me.sessionMethod,
      render: ({ way }) => <Text size="sm">{way ? text.oidc.methods[way] : '–'}</Text>,
    },
    { key: 'since', header: text.me.since, render: ({ createdAt }) => <TimeText value={createdAt} /> },
    { key: 'seen', header: text.me.lastSeen, render: ({ lastSeenAt }) => <TimeText value={lastSeenAt} as="ago" /> },
    actionsColumn(
      ({ id, isThis, userAgent }) =>
        !isThis && (
          <ConfirmButton
            size="xs"
            title={text.me.endTitle(describeBrowser(userAgent) ?? text.me.browserUnknown)}
            consequence={text.me.endHint}
            confirm={text.me.end}
            onConfirm={async () => {
              await endSession(id);
              await refresh();
            }}
          >
            {text.me.end}
          </ConfirmButton>
        ),
    ),
  ];
  const hasOthers = (sessions?.length ?? 0) > 1;
  return (
    <Section
      title={text.me.sessions}
      lead={text.me.sessionsHint}
      actions={
        hasOthers && (
          <ConfirmButton
            title={text.me.endOthersTitle}
            consequence={text.me.endHint}
            confirm={text.me.endOthers}
            onConfirm={async () => {
              await endOtherSessions();
              await refresh();
            }}
          >
            {text.me.endOthers}
          </ConfirmButton>
        )
      }
    >
      <DataTable
        caption={text.me.sessions}
        columns={columns}
        rows={sessions}
        error={error}
        onRetry={() => void refetch()}
      />
    </Section>
  );
}

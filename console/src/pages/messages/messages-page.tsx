import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useKeyPages } from '../../api/client/key-pages.js';
import { MESSAGE_STATUSES } from '../../api/message-statuses.js';
import type { Message } from '../../api/messages.js';
import { useSearchParams } from '../../browser/search.js';
import { useAccount, useAccountId } from '../../session/session.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { Money } from '../../ui/values/numbers.js';
import { senderText, sentToText } from '../../ui/values/phone.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { Choice, findStartTime, MoreToSearch } from './choice.js';
import { toSearchQuery } from './find-query.js';
import { MessageFilters, useSetFilter } from './message-filters.js';
import { ReceivedMessages } from './received-messages.js';

export function MessagesPage() {
  const [params, setParams] = useSearchParams();
  const showsReceived = params.show === 'received';
  return (
    <Page title={text.messages.title} lead={text.messages.lead}>
      <Stack gap="md">
        <SegmentedControl
          aria-label={text.messages.listChoice}
          value={showsReceived ? 'received' : 'sent'}
          onChange={(show) =>
            setParams({ ...pickSharedFilters(params.find), show: show === 'received' ? show : undefined })
          }
          data={[
            { value: 'sent', label: text.messages.sentMessages },
            { value: 'received', label: text.messages.received },
          ]}
          style={{ alignSelf: 'flex-start' }}
        />
        {showsReceived ? <ReceivedMessages /> : <SentMessages />}
      </Stack>
    </Page>
  );
}

/** Keeps only the filters that the lists of sent and received messages share. */
const pickSharedFilters = (find = '') => ({
  status: undefined,
  carrier: undefined,
  find: 'to' in toSearchQuery(find) && !find.includes('*') ? find : undefined,
});

function SentMessages() {
  const accountId = useAccountId();
  const account = useAccount();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const { find, status, kind, from, carrier, days } = params;
  const pages = useKeyPages({
    queryKey: ['messages', accountId],
    endpoint: 'GET /accounts/:accountId/messages',
    params: { accountId },
    query: { ...toSearchQuery(find), status, kind, channelId: from, carrier, createdFrom: findStartTime(days) },
  });
  const isFiltered = [find, status, kind, from, carrier, days].some(Boolean);
  const open = ({ id }: Message) =>
    void navigate({ to: '/a/$accountId/messages/$messageId', params: { accountId, messageId: id } });
  return (
    <>
      <Filters />
      <MoreToSearch pages={pages} />
      <DataTable
        caption={text.messages.title}
        columns={buildColumns(accountId, account?.currency ?? 'USD')}
        pages={pages}
        onOpen={open}
        empty={
          <EmptyState
            icon="message"
            title={isFiltered ? text.messages.noneFound : text.messages.none}
            hint={isFiltered ? text.messages.noneFoundHint : text.messages.noneHint}
          />
        }
      />
    </>
  );
}

function buildColumns(accountId: string, currency: string): Column<Message>[] {
  return [
    {
      key: 'to',
      header: text.messages.to,
      bare: true,
      nowrap: true,
      render: (message) => (
        <TextLink to="/a/$accountId/messages/$messageId" params={{ accountId, messageId: message.id }}>
          {sentToText(message)}
        </TextLink>
      ),
    },
    { key: 'status', header: text.messages.status, render: ({ status }) => <StatusBadge status={status} /> },
    {
      key: 'text',
      header: text.messages.text,
      breaks: true,
      wideOnly: true,
      render: ({ text: words, error }) => (
        <Text size="sm" lineClamp={2}>
          {error ? text.messages.failed(error.message || error.code) : words}
        </Text>
      ),
    },
    {
      key: 'from',
      header: text.messages.from,
      render: ({ from, kind }) => (
        <span style={{ overflowWrap: 'normal' }}>{`${senderText(from)} · ${text.messages.kinds[kind]}`}</span>
      ),
    },
    { key: 'carrier', header: text.messages.carrier, nowrap: true, wideOnly: true, render: ({ carrier }) => carrier },
    {
      key: 'price',
      header: text.messages.price,
      align: 'right',
      nowrap: true,
      render: ({ price, refunded }) =>
        refunded ? text.messages.refunded : <Money amount={price} currency={currency} />,
    },
    {
      key: 'createdAt',
      header: text.messages.accepted,
      nowrap: true,
      render: ({ createdAt }) => <TimeText value={createdAt} />,
    },
  ];
}

function Filters() {
  const account = useAccount();
  const [params] = useSearchParams();
  const choose = useSetFilter();
  const carriers = [
    ...new Set([
      ...(account?.channels ?? []).map(({ carrier }) => carrier),
      ...(params.carrier ? [params.carrier] : []),
    ]),
  ];
  const { find: label, findExample: placeholder, findHint: title } = text.messages;
  return (
    <MessageFilters
      find={{ label, placeholder, title }}
      first={
        <Choice
          label={text.messages.status}
          value={params.status}
          onChange={choose('status')}
          data={MESSAGE_STATUSES.map((value) => ({ value, label: text.status[value] }))}
        />
      }
      more={
        carriers.length > 1 && (
          <Choice label={text.messages.carrier} value={params.carrier} onChange={choose('carrier')} data={carriers} />
        )
      }
    />
  );
}

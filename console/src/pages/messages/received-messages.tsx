import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useKeyPages } from '../../api/client/key-pages.js';
import type { ReceivedMessage } from '../../api/messages.js';
import { useSearchParams } from '../../browser/search.js';
import { useAccount, useAccountId } from '../../session/session.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { personText, phoneText } from '../../ui/values/phone.js';
import { TimeText } from '../../ui/values/time-text.js';
import { findStartTime, MoreToSearch } from './choice.js';
import { MessageFilters } from './message-filters.js';

const words = text.messages;

export function ReceivedMessages() {
  const accountId = useAccountId();
  const account = useAccount();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const { find, kind, from: channelId, days } = params;
  const channel = account?.channels.find(({ id }) => id === channelId);
  const pages = useKeyPages({
    queryKey: ['inbound', accountId],
    endpoint: 'GET /accounts/:accountId/inbound',
    params: { accountId },
    query: { from: find, kind, to: channel?.phoneNumber, receivedFrom: findStartTime(days) },
  });
  const toConversation = ({ conversationId, channelId: channel }: ReceivedMessage) => ({
    to: '/a/$accountId/inbox/$conversationId' as const,
    params: { accountId, conversationId },
    search: { channel },
  });
  const columns: Column<ReceivedMessage>[] = [
    {
      key: 'from',
      header: words.from,
      bare: true,
      nowrap: true,
      render: (message) => (
        <TextLink {...toConversation(message)}>{personText({ ...message, phone: message.from })}</TextLink>
      ),
    },
    {
      key: 'text',
      header: words.text,
      breaks: true,
      render: ({ text: body, type }) => (
        <Text size="sm" lineClamp={2}>
          {body || typeName(type)}
        </Text>
      ),
    },
    {
      key: 'to',
      header: words.recipient,
      nowrap: true,
      render: (message) => `${phoneText(message.to)} · ${words.kinds[message.kind]}`,
    },
    {
      key: 'contact',
      header: words.contact,
      nowrap: true,
      render: ({ contactId, channelId: rowChannelId }) => (
        <TextLink
          to="/a/$accountId/contacts"
          params={{ accountId }}
          search={{ channel: rowChannelId, contact: contactId }}
        >
          {words.open}
        </TextLink>
      ),
    },
    {
      key: 'receivedAt',
      header: words.receivedAt,
      nowrap: true,
      render: ({ receivedAt }) => <TimeText value={receivedAt} />,
    },
  ];
  const isFiltered = [find, kind, channelId, days].some(Boolean);
  return (
    <>
      <MessageFilters find={{ label: words.findSender, placeholder: words.findExample }} />
      <MoreToSearch pages={pages} />
      <DataTable
        caption={words.received}
        columns={columns}
        pages={pages}
        onOpen={(message) => void navigate(toConversation(message))}
        empty={
          <EmptyState
            icon="inbox"
            title={isFiltered ? words.noneFound : words.noneReceived}
            hint={isFiltered ? words.noneFoundHint : words.noneReceivedHint}
          />
        }
      />
    </>
  );
}

function typeName(type: string): string {
  const types: Readonly<Record<string, string>> = text.inbox.types;
  return types[type] ?? type;
}

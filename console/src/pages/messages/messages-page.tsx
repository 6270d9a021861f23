import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useKeyPages } from '../../api/key-pages.js';
import { type Message, messagesPath } from '../../api/messages.js';
import { useSearchParams } from '../../app/search.js';
import { useAccount, useAccountId } from '../../app/session.js';
import { text } from '../../text/en.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { TextLink } from '../../ui/links.js';
import { Money } from '../../ui/numbers.js';
import { Page } from '../../ui/page.js';
import { senderText } from '../../ui/phone.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { TimeText } from '../../ui/time-text.js';
import { findQuery } from './find-query.js';

const STATUSES = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'undelivered',
  'failed',
  'rejected',
  'expired',
  'canceled',
] as const;
const DAYS = ['1', '7', '30'] as const;
const HOUR_MS = 60 * 60 * 1000;

/** The messages of an account. */
export function MessagesPage() {
  const accountId = useAccountId();
  const account = useAccount();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const { find, status, kind, from, carrier, days } = params;
  const pages = useKeyPages<Message>({
    queryKey: ['messages', accountId],
    path: messagesPath(accountId),
    query: { ...findQuery(find), status, kind, channelId: from, carrier, createdFrom: since(days) },
  });
  const isFiltered = [find, status, kind, from, carrier, days].some(Boolean);
  const open = ({ id }: Message) =>
    void navigate({ to: '/a/$accountId/messages/$messageId', params: { accountId, messageId: id } });
  return (
    <Page title={text.messages.title} lead={text.messages.lead}>
      <Stack gap="md">
        <Filters />
        {pages.rows && pages.rows.length < 50 && pages.next && (
          <Alert variant="light" role="status" title={text.messages.moreToSearch}>
            <Group justify="space-between" gap="sm">
              <span>{text.messages.moreToSearchHint}</span>
              <Button size="xs" variant="default" onClick={pages.next}>
                {text.messages.searchOn}
              </Button>
            </Group>
          </Alert>
        )}
        <DataTable
          caption={text.messages.title}
          columns={columnsFor(accountId, account?.currency ?? 'USD')}
          rowKey={({ id }) => id}
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
      </Stack>
    </Page>
  );
}

/** The beginning of the last days, to the hour, so that the same list is asked for again. */
function since(days: string | undefined): string | undefined {
  if (!days || !(DAYS as readonly string[]).includes(days)) return undefined;
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  return new Date(hour - Number(days) * 24 * HOUR_MS).toISOString();
}

function columnsFor(accountId: string, currency: string): Column<Message>[] {
  return [
    {
      key: 'to',
      header: text.messages.to,
      bare: true,
      nowrap: true,
      render: ({ id, to }) => (
        <TextLink to="/a/$accountId/messages/$messageId" params={{ accountId, messageId: id }}>
          +{to}
        </TextLink>
      ),
    },
    { key: 'status', header: text.messages.status, render: ({ status }) => <StatusBadge status={status} /> },
    {
      key: 'text',
      header: text.messages.text,
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
      // Two lines where there is no room, but no number is broken.
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
  const [params, setParams] = useSearchParams();
  const [typed, setTyped] = useState(params.find ?? '');
  const search = (event: FormEvent) => {
    event.preventDefault();
    setParams({ find: typed.trim() });
  };
  const choose = (name: string) => (value: string | null) => setParams({ [name]: value ?? undefined });
  const channels = account?.channels ?? [];
  const carriers = [
    ...new Set([...channels.map(({ carrier }) => carrier), ...(params.carrier ? [params.carrier] : [])]),
  ];
  return (
    <form onSubmit={search}>
      <Group align="flex-end" gap="sm">
        <TextInput
          type="search"
          flex={1}
          miw={220}
          label={text.messages.find}
          placeholder={text.messages.findExample}
          title={text.messages.findHint}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            if (event.currentTarget.value === '') setParams({ find: undefined });
          }}
        />
        <Button type="submit">{text.common.search}</Button>
      </Group>
      <Group gap="sm" mt="sm">
        <Choice
          label={text.messages.status}
          value={params.status}
          onChange={choose('status')}
          data={STATUSES.map((value) => ({ value, label: text.status[value] }))}
        />
        <Choice
          label={text.messages.kind}
          value={params.kind}
          onChange={choose('kind')}
          data={(['sms', 'whatsapp'] as const).map((value) => ({ value, label: text.messages.kinds[value] }))}
        />
        {channels.length > 0 && (
          <Choice
            label={text.messages.channel}
            value={params.from}
            onChange={choose('from')}
            data={channels.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        {carriers.length > 1 && (
          <Choice label={text.messages.carrier} value={params.carrier} onChange={choose('carrier')} data={carriers} />
        )}
        <Choice
          label={text.messages.time}
          value={params.days}
          onChange={choose('days')}
          data={DAYS.map((value) => ({ value, label: text.messages.lastDays(value) }))}
        />
      </Group>
    </form>
  );
}

interface ChoiceProps {
  label: string;
  value: string | undefined;
  data: string[] | { value: string; label: string }[];
  onChange(value: string | null): void;
}

function Choice({ label, value, data, onChange }: ChoiceProps) {
  return (
    <Select
      label={label}
      placeholder={text.messages.any}
      data={data}
      value={value ?? null}
      onChange={onChange}
      clearable
      clearButtonProps={{ 'aria-label': text.messages.clear(label) }}
      w={{ base: 'calc(50% - 6px)', xs: 170 }}
    />
  );
}

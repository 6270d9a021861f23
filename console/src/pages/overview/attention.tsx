import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Attention, attentionQuery, type InstallationOverview } from '../../api/overview.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { TextLink } from '../../ui/basics/links.js';
import { formatNumber, Money } from '../../ui/values/numbers.js';
import { TimeText } from '../../ui/values/time-text.js';
import classes from './attention.module.css';

const words = text.attention;

/** A message that has been queued for longer than this, in milliseconds, indicates a problem. */
const LONG_WAIT_MS = 5 * 60_000;

interface AttentionPartProps {
  queue: InstallationOverview['queue'] | undefined;
}

export function AttentionPart({ queue }: AttentionPartProps) {
  const { data } = useQuery(attentionQuery);
  if (!data) return null;
  const waitsLong = queue?.oldestAt ? Date.now() - new Date(queue.oldestAt).getTime() > LONG_WAIT_MS : false;
  const lines = [
    ...data.carriers.map((carrier) => <CarrierLine key={`carrier ${carrier.name}`} carrier={carrier} />),
    ...(queue && waitsLong ? [<WaitingLine key="waiting" queue={queue} />] : []),
    ...data.webhooks.map((webhook) => <WebhookLine key={webhook.id} webhook={webhook} />),
    ...moreLine(data.webhookCount - data.webhooks.length, words.moreWebhooks, 'webhooks'),
    ...data.accounts.map((account) => <AccountLine key={account.id} account={account} />),
    ...moreLine(data.accountCount - data.accounts.length, words.moreAccounts, 'accounts'),
  ];
  if (lines.length === 0) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {words.none}
      </Text>
    );
  }
  return (
    <Alert
      variant="light"
      color="yellow"
      icon={<Icon name="info" />}
      title={words.title}
      role="region"
      aria-label={words.title}
    >
      <Stack component="ul" gap={6} className={classes.list}>
        {lines}
      </Stack>
    </Alert>
  );
}

function moreLine(count: number, sentence: (count: string) => string, key: string): ReactNode[] {
  return count > 0 ? [<AttentionItem key={key}>{sentence(formatNumber(count))}</AttentionItem>] : [];
}

function AttentionItem({ children }: { children: ReactNode }) {
  return (
    <Text component="li" size="sm">
      {children}
    </Text>
  );
}

function CarrierLine({ carrier }: { carrier: Attention['carriers'][number] }) {
  const { name, state, since, reason, processes, notUp } = carrier;
  return (
    <AttentionItem>
      <TextLink to="/installation/carriers" inherit underline="always">
        {words.carrier(name)}
      </TextLink>{' '}
      {words.carrierStates[state]}
      {notUp > 0 && notUp < processes && ` ${words.inSome(notUp, processes)}`}
      {since && (
        <>
          {` ${words.since} `}
          <TimeText value={since} as="ago" />
        </>
      )}
      {reason && `: ${reason}`}
    </AttentionItem>
  );
}

function WaitingLine({ queue: { waiting, isPartial, oldestAt } }: { queue: InstallationOverview['queue'] }) {
  return (
    <AttentionItem>
      {words.waiting(`${formatNumber(waiting)}${isPartial ? '+' : ''}`)} <TimeText value={oldestAt} as="ago" />
    </AttentionItem>
  );
}

function WebhookLine({ webhook }: { webhook: Attention['webhooks'][number] }) {
  const { id, accountId, accountName, channelId, url, failingSince, disabledReason } = webhook;
  const search = channelId === null ? { of: 'account' } : { of: 'channel', channel: channelId };
  return (
    <AttentionItem>
      {words.webhookOf(accountName)}{' '}
      <TextLink
        to="/a/$accountId/webhooks/$webhookId"
        params={{ accountId, webhookId: id }}
        search={search}
        inherit
        underline="always"
      >
        {url}
      </TextLink>{' '}
      {disabledReason ? (text.webhooks.disabledBecause[disabledReason] ?? words.disabled) : words.failing}
      {!disabledReason && failingSince && (
        <>
          {` ${words.since} `}
          <TimeText value={failingSince} as="ago" />
        </>
      )}
    </AttentionItem>
  );
}

function AccountLine({ account }: { account: Attention['accounts'][number] }) {
  const { id, name, currency, isActive, balance } = account;
  return (
    <AttentionItem>
      <TextLink to="/a/$accountId/settings" params={{ accountId: id }} inherit underline="always">
        {name}
      </TextLink>{' '}
      {isActive ? (
        <>
          {balance > 0 ? words.low : words.noCredit} <Money amount={balance} currency={currency} />
        </>
      ) : (
        words.off
      )}
    </AttentionItem>
  );
}

import { Alert, Grid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type LinkProps, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { explainMessageError } from '../../../../src/carriers/message-error-texts.js';
import { type MessageDetails, messageQuery, useCancelMessage } from '../../api/messages.js';
import { useAccount, useAccountId, useCan } from '../../session/session.js';
import { PhoneView } from '../../shared/templates/template-preview.js';
import { toView } from '../../shared/templates/template-view.js';
import { text } from '../../text/en.js';
import { ButtonLink, TextLink } from '../../ui/basics/links.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { CopyField } from '../../ui/forms/copy-field.js';
import { Page } from '../../ui/layout/page.js';
import { PendingPage } from '../../ui/layout/pending-page.js';
import { Section } from '../../ui/layout/section.js';
import { Money } from '../../ui/values/numbers.js';
import { recipientText, senderText, sentToText } from '../../ui/values/phone.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { MessageTimeline } from './message-timeline.js';

function MessageText({ message }: { message: MessageDetails }) {
  const view = toView(message.template?.shown);
  if (view) return <PhoneView view={view} />;
  return (
    <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {message.text === '' ? text.messages.noText : message.text}
    </Text>
  );
}

export function MessagePage() {
  const accountId = useAccountId();
  const { messageId = '' } = useParams({ strict: false });
  const { data: message, error, refetch } = useQuery(messageQuery(accountId, messageId));
  const back = (
    <TextLink to="/a/$accountId/messages" params={{ accountId }}>
      {text.messages.title}
    </TextLink>
  );
  if (!message) {
    const linkToList = (
      <ButtonLink to="/a/$accountId/messages" params={{ accountId }} size="xs" variant="default">
        {text.messages.all}
      </ButtonLink>
    );
    return (
      <PendingPage
        title={text.messages.messageTitle}
        back={back}
        error={error}
        onRetry={() => void refetch()}
        alternative={linkToList}
      />
    );
  }
  return (
    <Page
      title={text.messages.messageTo(sentToText(message))}
      back={back}
      lead={<StatusBadge status={message.status} />}
      actions={<Cancel message={message} />}
    >
      <Failure message={message} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            <Section title={text.messages.text}>
              <MessageText message={message} />
            </Section>
            <Section title={text.messages.history}>
              <MessageTimeline message={message} />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title={text.messages.details}>
            <Details message={message} />
          </Section>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function Cancel({ message }: { message: MessageDetails }) {
  const accountId = useAccountId();
  const mayCancel = useCan('developer');
  const cancel = useCancelMessage(accountId, message.id);
  if (!mayCancel || !message.mayBeCanceled) return null;
  return (
    <ConfirmButton {...text.messages.cancelQuestion(sentToText(message))} onConfirm={() => cancel.mutateAsync()}>
      {text.messages.cancel}
    </ConfirmButton>
  );
}

function Failure({ message: { error, status } }: { message: MessageDetails }) {
  if (!error) return null;
  const explanation = explainMessageError(error.code);
  const isFinal = status !== 'sending' && status !== 'queued';
  return (
    <Alert variant="light" color={isFinal ? 'red' : 'yellow'} title={explanation?.meaning ?? error.message}>
      <Stack gap={4}>
        {explanation && <Text size="sm">{explanation.advice}</Text>}
        <Text size="sm">{text.messages.carrierError(error.code, error.message)}</Text>
      </Stack>
    </Alert>
  );
}

function Details({ message }: { message: MessageDetails }) {
  const accountId = useAccountId();
  const currency = useAccount()?.currency ?? 'USD';
  const channel = useAccount()?.channels.find(({ id }) => id === message.channelId);
  const { campaignId, conversationId, fallbackOf: messageId } = message;
  const channelSearch = { channel: message.channelId ?? undefined };
  const rows: [label: string, value: ReactNode][] = [
    [text.messages.kind, text.messages.kinds[message.kind]],
    [text.messages.from, senderText(message.from)],
    [text.messages.to, sentToText(message)],
    ...toRow(text.messages.userId, message.userId),
    ...toRow(text.messages.channel, channel?.name),
    [text.messages.carrier, message.carrier],
    ...toRow(text.messages.carrierId, message.carrierMessageId && <span>{message.carrierMessageId}</span>),
    [
      text.messages.price,
      <>
        <Money amount={message.price} currency={currency} />
        {message.refunded && ` · ${text.messages.refunded}`}
      </>,
    ],
    ...toRow(text.messages.parts, message.encoding && text.messages.partsIn(message.parts, message.encoding)),
    ...toRow(text.messages.template, message.template && `${message.template.name} · ${message.template.language}`),
    ...toRow(text.messages.media, message.media?.url),
    [text.messages.tries, message.attempts],
    ...toRow(text.messages.scheduled, message.scheduledAt && <TimeText value={message.scheduledAt} />),
    [text.messages.validUntil, <TimeText key="valid" value={message.validUntil} />],
    ...toRow(text.messages.reference, message.reference),
    ...Object.entries(message.metadata ?? {}).map(([name, value]): [string, ReactNode] => [name, value]),
    ...toRow(text.messages.callbackUrl, message.callbackUrl),
    ...toRow(text.messages.request, message.requestId),
    ...toRow(
      text.messages.campaign,
      campaignId && (
        <OpenConversationLink
          to="/a/$accountId/campaigns/$campaignId"
          params={{ accountId, campaignId }}
          search={channelSearch}
        />
      ),
    ),
    [text.messages.contact, <ContactLinks key="contact" message={message} />],
    ...toRow(
      text.messages.conversation,
      conversationId && (
        <OpenConversationLink
          to="/a/$accountId/inbox/$conversationId"
          params={{ accountId, conversationId }}
          search={channelSearch}
        />
      ),
    ),
    ...toRow(
      text.messages.fallbackOf,
      messageId && <OpenConversationLink to="/a/$accountId/messages/$messageId" params={{ accountId, messageId }} />,
    ),
  ];
  return (
    <Stack gap="md">
      <CopyField label={text.messages.id} value={message.id} />
      <dl style={{ display: 'grid', gridTemplateColumns: 'minmax(90px, auto) 1fr', gap: '6px 16px', margin: 0 }}>
        {rows.map(([label, value]) => (
          <div key={label} style={{ display: 'contents' }}>
            <Text component="dt" size="sm" c="dimmed">
              {label}
            </Text>
            <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Text>
          </div>
        ))}
      </dl>
    </Stack>
  );
}

function ContactLinks({ message: { contactId, channelId, to } }: { message: MessageDetails }) {
  const accountId = useAccountId();
  const search = contactId && channelId ? { channel: channelId, contact: contactId } : { search: to };
  return (
    <Stack gap={2} align="flex-start">
      <TextLink to="/a/$accountId/contacts" params={{ accountId }} search={search}>
        {contactId ? text.messages.open : text.messages.findContact}
      </TextLink>
      <TextLink to="/a/$accountId/messages" params={{ accountId }} search={{ find: recipientText(to) }}>
        {text.messages.findMessages}
      </TextLink>
    </Stack>
  );
}

function OpenConversationLink(link: Pick<LinkProps, 'to' | 'params' | 'search'>) {
  return <TextLink {...link}>{text.messages.open}</TextLink>;
}

function toRow(label: string, value: ReactNode): [label: string, value: ReactNode][] {
  return value === null || value === undefined || value === '' ? [] : [[label, value]];
}

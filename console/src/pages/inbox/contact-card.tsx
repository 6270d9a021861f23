import { Badge, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CONTACT_FIELD_NAMES } from '../../../../src/features/contacts/contact-fields.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { conversationQuery } from '../../api/inbox.js';
import { contactFieldText } from '../../shared/contact-field-text.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { CopyButton } from '../../ui/forms/copy-field.js';
import { personText, phoneText } from '../../ui/values/phone.js';
import { TimeText } from '../../ui/values/time-text.js';
import classes from './inbox.module.css';

export function ContactCard({ channelRef, conversationId }: { channelRef: ChannelRef; conversationId: string }) {
  const { data } = useQuery(conversationQuery(channelRef, conversationId));
  if (!data) return null;
  const { id, name, phone, userId, username, optedOut, createdAt } = data.contact;
  return (
    <aside className={classes.contact} aria-label={text.inbox.contact}>
      <Stack gap="md">
        <Title order={2} size="h4">
          {name || text.inbox.noName}
        </Title>
        {phone !== null && <Value label={text.inbox.number} value={phoneText(phone)} />}
        {username !== null && <Value label={text.inbox.username} value={`@${username}`} />}
        {phone === null && userId !== null && <Value label={text.inbox.userId} value={userId} />}
        {CONTACT_FIELD_NAMES.filter((field) => field !== 'name').map((field) => {
          const value = contactFieldText(data.contact[field]);
          return value && <Value key={field} label={text.contacts.fields[field]} value={value} />;
        })}
        <div>
          <Badge variant="light" radius="sm" tt="none" color={optedOut ? 'yellow' : 'green'}>
            {optedOut ? text.inbox.isOptedOut : text.inbox.isOptedIn}
          </Badge>
        </div>
        <Text size="sm" c="dimmed">
          {text.inbox.since} <TimeText value={createdAt} as="date" />
        </Text>
        <TextLink
          to="/a/$accountId/contacts"
          params={{ accountId: channelRef.accountId }}
          search={{ channel: channelRef.channelId, contact: id }}
          size="sm"
        >
          {text.inbox.toContact}
        </TextLink>
        <TextLink
          to="/a/$accountId/messages"
          params={{ accountId: channelRef.accountId }}
          search={{ find: personText({ phone, userId }) }}
          size="sm"
        >
          {text.inbox.toMessages}
        </TextLink>
      </Stack>
    </aside>
  );
}

function Value({ label, value }: { label: string; value: string }) {
  return (
    <Stack gap={4} align="flex-start">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" className={classes.value}>
        {value}
      </Text>
      <CopyButton value={value} label={text.common.copyOf(label)} size="xs" />
    </Stack>
  );
}

import { Anchor, Group as Row, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ChannelRef } from '../../api/channel-ref.js';
import { buildPersonExportUrl, type ContactWithGroups } from '../../api/people.js';
import { useAccount } from '../../session/session.js';
import { TemplateButton } from '../../shared/templates/template-button.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ButtonLink, TextLink } from '../../ui/basics/links.js';
import { personText } from '../../ui/values/phone.js';

const words = text.contacts;

const toSearchText = ({ phone, userId }: ContactWithGroups) => personText({ phone, userId });

interface ContactLinksProps {
  channelRef: ChannelRef;
  contact: ContactWithGroups;
  mayWrite: boolean;
}

export function ContactLinks({ channelRef, contact, mayWrite }: ContactLinksProps) {
  const { accountId, channelId } = channelRef;
  const { phone, conversationId, optedOut } = contact;
  const client = useQueryClient();
  const navigate = useNavigate();
  const channels = useAccount()?.channels ?? [];
  const channel = channels.find(({ id }) => id === channelId);
  const openConversation = async (id: string | null) => {
    await client.invalidateQueries({ queryKey: ['conversations', accountId] });
    if (!id) return;
    await navigate({
      to: '/a/$accountId/inbox/$conversationId',
      params: { accountId, conversationId: id },
      search: { channel: channelId },
    });
  };
  return (
    <Stack gap="xs">
      <Row gap="xs">
        {conversationId && (
          <ButtonLink
            to="/a/$accountId/inbox/$conversationId"
            params={{ accountId, conversationId }}
            search={{ channel: channelId }}
            size="xs"
            leftSection={<Icon name="inbox" size={16} />}
          >
            {mayWrite && !optedOut ? words.send : words.toConversation}
          </ButtonLink>
        )}
        {!conversationId && mayWrite && !optedOut && channel?.kind === 'whatsapp' && (
          <TemplateButton
            channelRef={channelRef}
            contactId={contact.id}
            contactName={personText(contact)}
            isPrimary
            onSent={(message) => void openConversation(message.conversationId)}
          />
        )}
        {!conversationId && mayWrite && !optedOut && phone !== null && channel?.kind === 'sms' && (
          <ButtonLink
            to="/a/$accountId/developers/playground"
            params={{ accountId }}
            search={{ operation: 'send', to: phone }}
            size="xs"
            leftSection={<Icon name="send" size={16} />}
          >
            {words.trySms}
          </ButtonLink>
        )}
        <TextLink to="/a/$accountId/messages" params={{ accountId }} search={{ find: toSearchText(contact) }} size="sm">
          {words.toMessages}
        </TextLink>
        {mayWrite && (
          <Anchor href={buildPersonExportUrl(channelRef, contact.id)} download size="sm">
            {words.exportPerson}
          </Anchor>
        )}
      </Row>
      {contact.sameNumber.length > 0 && (
        <Row gap="xs">
          <Text size="sm">{words.sameNumber}</Text>
          {contact.sameNumber.map(({ contactId, channelId: otherId, name }) => (
            <TextLink
              key={contactId}
              to="/a/$accountId/contacts"
              params={{ accountId }}
              search={{ channel: otherId, contact: contactId }}
              size="sm"
            >
              {words.onChannel(name, channels.find(({ id }) => id === otherId)?.name ?? '')}
            </TextLink>
          ))}
        </Row>
      )}
    </Stack>
  );
}

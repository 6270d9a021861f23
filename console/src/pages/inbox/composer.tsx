import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, KeyboardEvent } from 'react';
import type { Channel } from '../../api/account/account.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useSendOnce } from '../../api/client/use-send-once.js';
import { type OpenConversation, sendFile, sendReply } from '../../api/inbox.js';
import { useDraft } from '../../browser/drafts.js';
import { useSession } from '../../session/session.js';
import { TemplateButton } from '../../shared/templates/template-button.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { personText } from '../../ui/values/phone.js';
import { AttachButton, Attachment, CAPTIONED } from './attachment.js';
import classes from './inbox.module.css';
import { PlayButton } from './play-button.js';
import { useAttachment } from './use-attachment.js';
import { useNow } from './use-now.js';
import { isOpenAt } from './window-left.js';

interface ComposerProps {
  channelRef: ChannelRef;
  channel: Channel;
  conversation: OpenConversation;
  onSend(): void;
}

const IS_APPLE = /Mac|iP(?:hone|ad|od)/.test(navigator.platform);

/**
 * Sends replies: free text only while the 24-hour window is open, templates at any time. The composer is disabled for opted-out
 * contacts.
 */
export function Composer({ channelRef, channel, conversation, onSend }: ComposerProps) {
  const { id, contact, windowExpiresAt } = conversation;
  const client = useQueryClient();
  // While the operator signs out, the session is briefly null.
  const draftKey = `${useSession()?.operator.id ?? ''} ${id}`;
  const [draft, changeDraft] = useDraft(draftKey);
  const sendOnce = useSendOnce(draftKey);
  const isOpen = isOpenAt(windowExpiresAt, useNow(1_000)) && !contact.optedOut;
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['conversations', channelRef.accountId] }),
      client.invalidateQueries({ queryKey: ['messages', channelRef.accountId] }),
    ]);
  const { attached, attach, remove } = useAttachment(channelRef);
  const uploaded = attached?.uploaded ?? null;
  const hasCaption = uploaded !== null && CAPTIONED.has(uploaded.kind);
  const reply = useMutation({
    mutationFn: ({ message, mediaId }: OutgoingReply) =>
      sendOnce([message, mediaId], (key) =>
        mediaId === null
          ? sendReply(channelRef, contact.id, message, key)
          : sendFile(channelRef, contact.id, { mediaId, caption: message }, key),
      ),
    onSuccess: (_, { message, mediaId }) => {
      changeDraft((last) => removeSentText(last, message));
      if (mediaId !== null) remove();
    },
    onSettled: refresh,
  });
  const message = uploaded && !hasCaption ? '' : draft.trim();
  // A reply with a file must wait until the file is uploaded.
  const isReady = attached ? uploaded !== null : message !== '';
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (!isOpen || !isReady || reply.isPending) return;
    onSend();
    reply.mutate({ message, mediaId: uploaded?.id ?? null });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
  };
  return (
    <form className={classes.composer} onSubmit={submit}>
      <Stack gap="xs">
        {contact.optedOut && (
          <Alert color="yellow" variant="light" icon={<Icon name="ban" />} p="xs" role="note">
            {text.inbox.optedOut}
          </Alert>
        )}
        {reply.error && <ErrorState error={reply.error} />}
        {!isOpen && !contact.optedOut && (
          <Text size="sm" c="dimmed">
            {channel.kind === 'sms' ? text.inbox.closedSms : text.inbox.closedHint}
          </Text>
        )}
        {isOpen && attached && <Attachment attached={attached} onRemove={remove} />}
        {(isOpen || draft !== '') && (
          <Textarea
            aria-label={isOpen ? text.inbox.reply : text.inbox.draft}
            description={isOpen ? undefined : text.inbox.draftKept}
            placeholder={composerPlaceholder(channel.kind, hasCaption)}
            aria-keyshortcuts="Control+Enter Meta+Enter"
            autosize
            minRows={2}
            maxRows={8}
            maxLength={4096}
            value={draft}
            onChange={({ currentTarget: { value } }) => changeDraft(() => value)}
            onKeyDown={onKeyDown}
          />
        )}
        <Group justify="space-between" gap="xs">
          <Group gap={6}>
            {channel.kind === 'whatsapp' && isOpen && (
              <AttachButton onChoose={(file) => void attach(file)} disabled={reply.isPending} />
            )}
            {channel.kind === 'whatsapp' && !contact.optedOut && (
              <TemplateButton
                channelRef={channelRef}
                contactId={contact.id}
                contactName={personText(contact)}
                isPrimary={!isOpen}
                onSent={() => {
                  onSend();
                  void refresh();
                }}
              />
            )}
            {channel.carrier === 'simulator' && (
              <PlayButton channelRef={channelRef} writer={contact} onPlayed={refresh} />
            )}
          </Group>
          {isOpen && (
            <Group gap="xs" ml="auto">
              <Text size="xs" c="dimmed" visibleFrom="sm">
                {text.inbox.sendsBy(IS_APPLE)}
              </Text>
              <Button
                type="submit"
                loading={reply.isPending}
                disabled={!isReady}
                leftSection={<Icon name="send" size={16} />}
              >
                {text.inbox.send}
              </Button>
            </Group>
          )}
        </Group>
      </Stack>
    </form>
  );
}

interface OutgoingReply {
  message: string;
  mediaId: string | null;
}

function composerPlaceholder(kind: Channel['kind'], hasCaption: boolean): string {
  if (hasCaption) return text.inbox.caption;
  return kind === 'sms' ? text.inbox.replyBySms : text.inbox.reply;
}

/** Removes the sent text and keeps anything typed during the request. */
function removeSentText(draft: string, sent: string): string {
  const trimmed = draft.trimStart();
  return trimmed.startsWith(sent) ? trimmed.slice(sent.length).trimStart() : draft;
}

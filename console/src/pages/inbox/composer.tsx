import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, KeyboardEvent } from 'react';
import type { Channel } from '../../api/account.js';
import { type ChannelPlace, type OpenConversation, sendReply } from '../../api/inbox.js';
import { useOnce } from '../../api/once.js';
import { useDraft } from '../../browser/drafts.js';
import { TemplateButton } from '../../parts/templates/template-button.js';
import { useSession } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { personText } from '../../ui/values/phone.js';
import classes from './inbox.module.css';
import { PlayButton } from './play-button.js';
import { useNow } from './use-now.js';
import { isOpenAt } from './window-left.js';

interface ComposerProps {
  place: ChannelPlace;
  channel: Channel;
  conversation: OpenConversation;
}

const IS_APPLE = /Mac|iP(?:hone|ad|od)/.test(navigator.platform);

/** The answer: free text while the window is open, a template at any time; nothing to who has opted out. */
export function Composer({ place, channel, conversation: { id, contact, windowExpiresAt } }: ComposerProps) {
  const client = useQueryClient();
  // While somebody signs out, there is none for a moment.
  const [draft, changeDraft] = useDraft(`${useSession()?.operator.id ?? ''} ${id}`);
  const once = useOnce();
  const isOpen = isOpenAt(windowExpiresAt, useNow(1_000)) && !contact.optedOut;
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['conversations', place.accountId] }),
      client.invalidateQueries({ queryKey: ['messages', place.accountId] }),
    ]);
  const reply = useMutation({
    mutationFn: (message: string) => once(message, (key) => sendReply(place, contact.id, message, key)),
    // What was written meanwhile stays.
    onSuccess: (_, sent) => changeDraft((last) => withoutSent(last, sent)),
    onSettled: refresh,
  });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isOpen && draft.trim() !== '' && !reply.isPending) reply.mutate(draft.trim());
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
        {(isOpen || draft !== '') && (
          <Textarea
            aria-label={isOpen ? text.inbox.reply : text.inbox.draft}
            description={isOpen ? undefined : text.inbox.draftKept}
            placeholder={channel.kind === 'sms' ? text.inbox.replyBySms : text.inbox.reply}
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
            {channel.kind === 'whatsapp' && !contact.optedOut && (
              <TemplateButton
                place={place}
                contactId={contact.id}
                who={personText(contact)}
                isPrimary={!isOpen}
                onSent={refresh}
              />
            )}
            {channel.carrier === 'simulator' && <PlayButton place={place} writer={contact} onPlayed={refresh} />}
          </Group>
          {isOpen && (
            <Group gap="xs" ml="auto">
              <Text size="xs" c="dimmed" visibleFrom="sm">
                {text.inbox.sendsBy(IS_APPLE)}
              </Text>
              <Button
                type="submit"
                loading={reply.isPending}
                disabled={draft.trim() === ''}
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

/** A draft without the text that was just sent at its beginning; one that was begun anew stays whole. */
function withoutSent(draft: string, sent: string): string {
  const begun = draft.trimStart();
  return begun.startsWith(sent) ? begun.slice(sent.length).trimStart() : draft;
}

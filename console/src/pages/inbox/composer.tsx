import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import type { Channel } from '../../api/account.js';
import { type ChannelPlace, type OpenConversation, sendReply } from '../../api/inbox.js';
import { useOnce } from '../../api/once.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/error-state.js';
import { Icon } from '../../ui/icons.js';
import classes from './inbox.module.css';
import { PlayButton } from './play-button.js';
import { TemplateButton } from './template-button.js';
import { useNow } from './use-now.js';
import { isOpenAt } from './window-left.js';

interface ComposerProps {
  place: ChannelPlace;
  channel: Channel;
  conversation: OpenConversation;
}

/** The answer: free text while the window is open, a template at any time. */
export function Composer({ place, channel, conversation: { contact, windowExpiresAt } }: ComposerProps) {
  const client = useQueryClient();
  const [draft, setDraft] = useState('');
  const once = useOnce();
  const isOpen = isOpenAt(windowExpiresAt, useNow(1_000));
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['conversations', place.accountId] }),
      client.invalidateQueries({ queryKey: ['messages', place.accountId] }),
    ]);
  const reply = useMutation({
    mutationFn: () => once(draft.trim(), (key) => sendReply(place, contact.phone, draft.trim(), key)),
    onSuccess: () => setDraft(''),
    onSettled: refresh,
  });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (draft.trim() !== '' && !reply.isPending) reply.mutate();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
  };
  return (
    <form className={classes.composer} onSubmit={submit}>
      <Stack gap="xs">
        {contact.optedOut && (
          <Alert color="yellow" variant="light" icon={<Icon name="ban" />} p="xs">
            {text.inbox.optedOut}
          </Alert>
        )}
        {reply.error && <ErrorState error={reply.error} />}
        {isOpen ? (
          <Textarea
            aria-label={text.inbox.reply}
            placeholder={channel.kind === 'sms' ? text.inbox.replyBySms : text.inbox.reply}
            autosize
            minRows={2}
            maxRows={8}
            maxLength={4096}
            value={draft}
            onChange={({ currentTarget: { value } }) => setDraft(value)}
            onKeyDown={onKeyDown}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {channel.kind === 'sms' ? text.inbox.closedSms : text.inbox.closedHint}
          </Text>
        )}
        <Group justify="space-between" gap="xs">
          <Group gap={6}>
            {channel.kind === 'whatsapp' && (
              <TemplateButton place={place} to={contact.phone} isPrimary={!isOpen} onSent={refresh} />
            )}
            {channel.carrier === 'simulator' && <PlayButton place={place} from={contact.phone} onPlayed={refresh} />}
          </Group>
          {isOpen && (
            <Button
              type="submit"
              ml="auto"
              loading={reply.isPending}
              disabled={draft.trim() === ''}
              leftSection={<Icon name="send" size={16} />}
            >
              {text.inbox.send}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

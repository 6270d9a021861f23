import { Button, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { ChannelRef } from '../../api/channel-ref.js';
import { playInbound, type SimulatedSender } from '../../api/inbox.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import type { ShownPerson } from '../../ui/values/phone.js';

interface PlayButtonProps {
  channelRef: ChannelRef;
  writer?: ShownPerson;
  onPlayed(conversationId: string | null): unknown;
}

function toWriter({ phone, userId, username }: ShownPerson): SimulatedSender {
  return phone === null ? { userId: userId ?? '', ...(username && { username }) } : { from: phone };
}

/** Accepts a phone number, or an `@username` from which a user ID is derived. */
function readWriter(input: string): SimulatedSender {
  const username = input.trim().replace(/^@/, '');
  if (username === input.trim()) return { from: input.replace(/\D/g, '') };
  return { userId: `US.${username.replace(/[^A-Za-z0-9]/g, '')}`, username };
}

/** Simulates an incoming message in a simulator channel, to try out replies. */
export function PlayButton({ channelRef, writer, onPlayed }: PlayButtonProps) {
  const [opened, { open, close }] = useDisclosure();
  const [number, setNumber] = useState('+15005550111');
  const [message, setMessage] = useState<string>(text.inbox.playExample);
  const play = async () => {
    const inbound = await playInbound(channelRef, {
      ...(writer ? toWriter(writer) : readWriter(number)),
      text: message,
    });
    await onPlayed(inbound.conversationId);
  };
  return (
    <>
      <Button size="xs" px="xs" variant="default" onClick={open} leftSection={<Icon name="play" size={14} />}>
        {text.inbox.play}
      </Button>
      <FormDialog
        opened={opened}
        onClose={close}
        title={text.inbox.playTitle}
        submit={text.inbox.playSubmit}
        fields={writer === undefined ? ['from', 'text'] : ['text']}
        onSubmit={play}
      >
        {(problem) => (
          <>
            <Text size="sm" c="dimmed">
              {text.inbox.playHint}
            </Text>
            {writer === undefined && (
              <TextInput
                label={text.inbox.playFrom}
                description={text.inbox.playFromHint}
                required
                value={number}
                error={problem('from')}
                onChange={({ currentTarget: { value } }) => setNumber(value)}
              />
            )}
            <Textarea
              label={text.inbox.playText}
              required
              autosize
              minRows={2}
              maxLength={4096}
              value={message}
              error={problem('text')}
              onChange={({ currentTarget: { value } }) => setMessage(value)}
              data-autofocus
            />
          </>
        )}
      </FormDialog>
    </>
  );
}

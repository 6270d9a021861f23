import { Button, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type ChannelPlace, playInbound } from '../../api/inbox.js';
import { problemOf } from '../../api/request.js';
import { text } from '../../text/en.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { ErrorState } from '../../ui/error-state.js';
import { Icon } from '../../ui/icons.js';

interface PlayButtonProps {
  place: ChannelPlace;
  /** Who writes; anybody unless told. */
  from?: string;
  onPlayed(conversationId: string | null): unknown;
}

/** In a channel of the simulator: lets a contact write, so that replies can be tried. */
export function PlayButton({ place, from, onPlayed }: PlayButtonProps) {
  const [opened, { open, close }] = useDisclosure();
  const [number, setNumber] = useState('15005550111');
  const [message, setMessage] = useState<string>(text.inbox.playExample);
  const play = useMutation({
    mutationFn: () => playInbound(place, { from: from ?? number.replace(/\D/g, ''), text: message }),
    onSuccess: ({ conversationId }) => {
      close();
      return onPlayed(conversationId);
    },
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={open} leftSection={<Icon name="play" size={14} />}>
        {text.inbox.play}
      </Button>
      <Modal opened={opened} onClose={close} title={text.inbox.playTitle}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            // A dialog is no part of the form that its button stands in, but its events pass there.
            event.stopPropagation();
            play.mutate();
          }}
        >
          <Stack>
            <Text size="sm" c="dimmed">
              {text.inbox.playHint}
            </Text>
            {play.error && <ErrorState error={play.error} />}
            {from === undefined && (
              <TextInput
                label={text.inbox.playFrom}
                description={text.inbox.playFromHint}
                inputMode="tel"
                required
                value={number}
                error={problemOf(play.error, 'from')}
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
              error={problemOf(play.error, 'text')}
              onChange={({ currentTarget: { value } }) => setMessage(value)}
              data-autofocus
            />
            <DialogButtons onCancel={close} loading={play.isPending}>
              {text.inbox.playSubmit}
            </DialogButtons>
          </Stack>
        </form>
      </Modal>
    </>
  );
}

import { Button, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { type ChannelPlace, playInbound } from '../../api/inbox.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';

interface PlayButtonProps {
  place: ChannelPlace;
  /** Who writes; anybody unless told. */
  from?: string;
  onPlayed(conversationId: string | null): unknown;
}

/** In a channel of the simulator: lets a contact write, so that replies can be tried. */
export function PlayButton({ place, from, onPlayed }: PlayButtonProps) {
  const [opened, { open, close }] = useDisclosure();
  const [number, setNumber] = useState('+15005550111');
  const [message, setMessage] = useState<string>(text.inbox.playExample);
  const play = async () => {
    const played = await playInbound(place, { from: from ?? number.replace(/\D/g, ''), text: message });
    await onPlayed(played.conversationId);
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
        fields={from === undefined ? ['from', 'text'] : ['text']}
        onSubmit={play}
      >
        {(problem) => (
          <>
            <Text size="sm" c="dimmed">
              {text.inbox.playHint}
            </Text>
            {from === undefined && (
              <TextInput
                label={text.inbox.playFrom}
                description={text.inbox.playFromHint}
                inputMode="tel"
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

import { Anchor, Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { ChannelRef } from '../../api/channel-ref.js';
import { buildMediaUrl } from '../../api/inbox.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import classes from './inbox.module.css';

interface MediaProps {
  channelRef: ChannelRef;
  mediaId: string;
  type: string;
  label: string;
  showsAtOnce: boolean;
}

/** Loads files of unknown contacts only after a click, and audio and video only when they are played. */
export function Media({ channelRef, mediaId, type, label, showsAtOnce }: MediaProps) {
  const [isShown, show] = useState(showsAtOnce);
  const [isGone, setGone] = useState(false);
  const source = buildMediaUrl(channelRef, mediaId);
  const onError = () => setGone(true);
  if (isGone) {
    return (
      <Text size="sm" c="dimmed" className={classes.attachment}>
        {text.inbox.media.gone}
      </Text>
    );
  }
  if (type === 'document') {
    return (
      <div className={classes.attachment}>
        <Icon name="list" size={16} />
        <Anchor href={source} download={label} size="sm" className={classes.value}>
          {text.inbox.media.save(label)}
        </Anchor>
      </div>
    );
  }
  if (!isShown) {
    return (
      <Button
        variant="default"
        size="compact-sm"
        className={classes.attachment}
        leftSection={<Icon name={type === 'image' || type === 'sticker' ? 'screen' : 'play'} size={16} />}
        onClick={() => show(true)}
      >
        {text.inbox.media.show(label)}
      </Button>
    );
  }
  if (type === 'audio') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: contacts' recordings have no captions.
      <audio className={classes.sound} controls preload="none" src={source} aria-label={label} onError={onError} />
    );
  }
  if (type === 'video') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: contacts' recordings have no captions.
      <video className={classes.picture} controls preload="none" src={source} aria-label={label} onError={onError} />
    );
  }
  return (
    <a href={source} target="_blank" rel="noopener">
      <img className={classes.picture} src={source} alt={label} loading="lazy" onError={onError} />
    </a>
  );
}

import { Anchor, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { type ChannelPlace, mediaAddress } from '../../api/inbox.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import classes from './inbox.module.css';

interface MediaProps {
  place: ChannelPlace;
  mediaId: string;
  /** Of the message: image, audio, video, sticker or document. */
  type: string;
  /** What it is called. */
  label: string;
  /** Whether a picture is shown without being asked for. */
  showsAtOnce: boolean;
}

/**
 * A file of a message, as this server hands it out. Of somebody unknown nothing is loaded before a click, and of sound and videos
 * of anybody nothing before they are played.
 */
export function Media({ place, mediaId, type, label, showsAtOnce }: MediaProps) {
  const [isShown, show] = useState(showsAtOnce);
  const [isGone, setGone] = useState(false);
  const source = mediaAddress(place, mediaId);
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
      // biome-ignore lint/a11y/useMediaCaption: nobody has written down what a contact says.
      <audio className={classes.sound} controls preload="none" src={source} aria-label={label} onError={onError} />
    );
  }
  if (type === 'video') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: nobody has written down what a contact says.
      <video className={classes.picture} controls preload="none" src={source} aria-label={label} onError={onError} />
    );
  }
  return (
    <a href={source} target="_blank" rel="noopener">
      <img className={classes.picture} src={source} alt={label} loading="lazy" onError={onError} />
    </a>
  );
}

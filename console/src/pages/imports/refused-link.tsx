import { Button } from '@mantine/core';
import type { ChannelRef } from '../../api/channel-ref.js';
import { buildRefusedUrl } from '../../api/imports.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';

const words = text.imports;

export function RefusedLink({ channelRef, id }: { channelRef: ChannelRef; id: string }) {
  return (
    <Button
      component="a"
      href={buildRefusedUrl(channelRef, id)}
      download
      size="xs"
      variant="default"
      leftSection={<Icon name="download" size={14} />}
    >
      {words.refusedFile}
    </Button>
  );
}

import { Button } from '@mantine/core';
import { refusedUrl } from '../../api/imports.js';
import type { Place } from '../../api/people.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';

const words = text.imports;

export function RefusedLink({ channelRef, id }: { channelRef: Place; id: string }) {
  return (
    <Button
      component="a"
      href={refusedUrl(channelRef, id)}
      download
      size="xs"
      variant="default"
      leftSection={<Icon name="download" size={14} />}
    >
      {words.refusedFile}
    </Button>
  );
}

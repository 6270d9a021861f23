import { Button } from '@mantine/core';
import { refusedUrl } from '../../api/imports.js';
import type { Place } from '../../api/people.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';

const words = text.imports;

/** The link to the file of refused rows. */
export function RefusedLink({ place, id }: { place: Place; id: string }) {
  return (
    <Button
      component="a"
      href={refusedUrl(place, id)}
      download
      size="xs"
      variant="default"
      leftSection={<Icon name="download" size={14} />}
    >
      {words.refusedFile}
    </Button>
  );
}

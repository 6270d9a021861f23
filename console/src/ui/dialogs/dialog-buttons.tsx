import { Button, type ButtonProps, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../../text/en.js';

interface DialogButtonsProps extends Pick<ButtonProps, 'loading' | 'disabled' | 'color'> {
  onCancel(): void;
  /** Whether the way out has the focus at first. */
  cancelFirst?: boolean;
  /** What the button says that sends the form. */
  children: ReactNode;
}

/** The end of a form in a dialog: the way out, and the button that sends it. */
export function DialogButtons({ onCancel, cancelFirst = false, children, ...submit }: DialogButtonsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel} data-autofocus={cancelFirst || undefined}>
        {text.common.cancel}
      </Button>
      <Button type="submit" {...submit}>
        {children}
      </Button>
    </Group>
  );
}

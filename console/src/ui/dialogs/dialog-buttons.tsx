import { Button, type ButtonProps, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../../text/en.js';

interface DialogButtonsProps extends Pick<ButtonProps, 'loading' | 'disabled' | 'color'> {
  onCancel(): void;
  cancelFirst?: boolean;
  children: ReactNode;
}

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

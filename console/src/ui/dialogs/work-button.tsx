import { Button, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { notifyError } from '../feedback/notices.js';

interface WorkButtonProps extends Omit<ButtonProps, 'onClick' | 'loading'> {
  children: ReactNode;
  'aria-label'?: string;
  work(): Promise<unknown>;
}

/** A button that ignores clicks until its action has finished. */
export function WorkButton({ work, children, ...button }: WorkButtonProps) {
  // The flag is a ref, because the second click of a double click arrives before React renders the disabled button.
  const isRunning = useRef(false);
  const { mutate, isPending } = useMutation({
    mutationFn: work,
    onError: notifyError,
    onSettled: () => {
      isRunning.current = false;
    },
  });
  const start = () => {
    if (isRunning.current) return;
    isRunning.current = true;
    mutate();
  };
  return (
    <Button variant="default" {...button} loading={isPending} onClick={start}>
      {children}
    </Button>
  );
}

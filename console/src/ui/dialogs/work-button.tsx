import { Button, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { notifyError } from '../feedback/notices.js';

interface WorkButtonProps extends Omit<ButtonProps, 'onClick' | 'loading'> {
  children: ReactNode;
  'aria-label'?: string;
  work(): Promise<unknown>;
}

/** A button for what takes a moment, asks nothing, and would be done twice by two clicks: until it is done it takes no other one. */
export function WorkButton({ work, children, ...button }: WorkButtonProps) {
  // The button is drawn anew a moment later than the second of two clicks comes.
  const isAtWork = useRef(false);
  const { mutate, isPending } = useMutation({
    mutationFn: work,
    onError: notifyError,
    onSettled: () => {
      isAtWork.current = false;
    },
  });
  const begin = () => {
    if (isAtWork.current) return;
    isAtWork.current = true;
    mutate();
  };
  return (
    <Button variant="default" {...button} loading={isPending} onClick={begin}>
      {children}
    </Button>
  );
}

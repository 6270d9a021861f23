import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../feedback/notices.js';
import { ConfirmButton } from './confirm-button.js';

interface SwitchButtonProps {
  isOn: boolean;
  /** What the button says. */
  words: { on: string; off: string };
  /** What is asked before it is switched off: as of `ConfirmButton`. */
  title: string;
  consequence: string;
  confirm: string;
  onSwitch(to: boolean): Promise<unknown>;
}

/** Switches something on at once, and off once that was confirmed. */
export function SwitchButton({ isOn, words, title, consequence, confirm, onSwitch }: SwitchButtonProps) {
  const switchOn = useMutation({ mutationFn: () => onSwitch(true), onError: notifyError });
  if (!isOn) {
    return (
      <Button variant="default" size="xs" loading={switchOn.isPending} onClick={() => switchOn.mutate()}>
        {words.on}
      </Button>
    );
  }
  return (
    <ConfirmButton
      size="xs"
      title={title}
      consequence={consequence}
      confirm={confirm}
      onConfirm={() => onSwitch(false)}
    >
      {words.off}
    </ConfirmButton>
  );
}

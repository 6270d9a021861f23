import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../feedback/notices.js';
import { ConfirmButton } from './confirm-button.js';

interface SwitchButtonProps {
  isOn: boolean;
  name: string;
  words: SwitchWords;
  onSwitch(isOn: boolean): Promise<unknown>;
}

interface SwitchWords {
  switchOn: string;
  switchOff: string;
  switchOffTitle(name: string): string;
  switchOffConsequence: string;
  switchOffConfirm: string;
}

/** Only switching an item off needs a confirmation. */
export function SwitchButton({ isOn, name, words, onSwitch }: SwitchButtonProps) {
  const switchOn = useMutation({ mutationFn: () => onSwitch(true), onError: notifyError });
  if (!isOn) {
    return (
      <Button variant="default" size="xs" loading={switchOn.isPending} onClick={() => switchOn.mutate()}>
        {words.switchOn}
      </Button>
    );
  }
  return (
    <ConfirmButton
      size="xs"
      title={words.switchOffTitle(name)}
      consequence={words.switchOffConsequence}
      confirm={words.switchOffConfirm}
      onConfirm={() => onSwitch(false)}
    >
      {words.switchOff}
    </ConfirmButton>
  );
}

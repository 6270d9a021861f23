import { Button, type ButtonProps, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { text } from '../../text/en.js';
import { ErrorState } from '../feedback/error-state.js';
import { DialogButtons } from './dialog-buttons.js';

export interface Question {
  title: string;
  consequence: ReactNode;
  confirm: string;
}

interface ConfirmButtonProps extends Question, Omit<ButtonProps, 'onClick'> {
  children: ReactNode;
  /** Text that the operator must type as confirmation, for items that are costly to lose. */
  typed?: string;
  onConfirm(): Promise<unknown>;
}

export function ConfirmButton({
  title,
  consequence,
  confirm,
  typed,
  onConfirm,
  children,
  ...button
}: ConfirmButtonProps) {
  const [opened, setOpened] = useState(false);
  const [enteredText, setEntered] = useState('');
  const confirmation = useMutation({ mutationFn: () => onConfirm(), onSuccess: () => close() });
  const close = () => {
    setOpened(false);
    setEntered('');
    confirmation.reset();
  };
  return (
    <>
      <Button variant="default" color="red" {...button} onClick={() => setOpened(true)}>
        {children}
      </Button>
      <Modal opened={opened} onClose={close} title={title}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            // React events bubble from the dialog to any form that contains its button; that form must not be submitted.
            event.stopPropagation();
            confirmation.mutate();
          }}
        >
          <Stack>
            <Text size="sm" component="div">
              {consequence}
            </Text>
            {typed && (
              <TextInput
                label={text.common.typeToConfirm(typed)}
                value={enteredText}
                onChange={(event) => setEntered(event.currentTarget.value)}
                autoComplete="off"
                data-autofocus
              />
            )}
            {confirmation.error && <ErrorState error={confirmation.error} />}
            <DialogButtons
              onCancel={close}
              cancelFirst={!typed}
              color="red"
              loading={confirmation.isPending}
              disabled={typed !== undefined && enteredText !== typed}
            >
              {confirm}
            </DialogButtons>
          </Stack>
        </form>
      </Modal>
    </>
  );
}

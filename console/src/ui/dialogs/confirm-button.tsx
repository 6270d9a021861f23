import { Button, type ButtonProps, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { text } from '../../text/en.js';
import { ErrorState } from '../feedback/error-state.js';
import { DialogButtons } from './dialog-buttons.js';

/** What is asked before something is destroyed. */
export interface Question {
  /** The question, with the name of what is destroyed: `Revoke the key “Shop”?` */
  title: string;
  /** What is lost, and what cannot be undone. */
  consequence: ReactNode;
  /** What the button of the dialog says: `Revoke the key`. */
  confirm: string;
}

interface ConfirmButtonProps extends Question, Omit<ButtonProps, 'onClick'> {
  /** What the button says, and what it does: `Revoke`. */
  children: ReactNode;
  /** What must be typed first, for what would be dear to lose. */
  typed?: string;
  onConfirm(): Promise<unknown>;
}

/** A button for what destroys something. It names what is destroyed, and asks. */
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
  const [entered, setEntered] = useState('');
  const work = useMutation({ mutationFn: () => onConfirm(), onSuccess: () => close() });
  const close = () => {
    setOpened(false);
    setEntered('');
    work.reset();
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
            // A dialog is no part of the form that its button stands in, but its events pass there.
            event.stopPropagation();
            work.mutate();
          }}
        >
          <Stack>
            <Text size="sm" component="div">
              {consequence}
            </Text>
            {typed && (
              <TextInput
                label={text.common.typeToConfirm(typed)}
                value={entered}
                onChange={(event) => setEntered(event.currentTarget.value)}
                autoComplete="off"
                data-autofocus
              />
            )}
            {work.error && <ErrorState error={work.error} />}
            <DialogButtons
              onCancel={close}
              cancelFirst={!typed}
              color="red"
              loading={work.isPending}
              disabled={typed !== undefined && entered !== typed}
            >
              {confirm}
            </DialogButtons>
          </Stack>
        </form>
      </Modal>
    </>
  );
}

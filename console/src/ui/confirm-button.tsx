import { Button, type ButtonProps, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { text } from '../text/en.js';
import { ErrorState } from './error-state.js';

interface ConfirmButtonProps extends Omit<ButtonProps, 'onClick'> {
  /** What the button says, and what it does: `Revoke`. */
  children: ReactNode;
  /** The question, with the name of what is destroyed: `Revoke the key “Shop”?` */
  title: string;
  /** What is lost, and what cannot be undone. */
  consequence: ReactNode;
  /** What the button of the dialog says: `Revoke the key`. */
  confirm: string;
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
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = () => {
    setOpened(false);
    setEntered('');
    setError(null);
  };
  const run = async () => {
    setWorking(true);
    setError(null);
    try {
      await onConfirm();
      close();
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
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
            void run();
          }}
        >
          <Stack>
            <Text size="sm">{consequence}</Text>
            {typed && (
              <TextInput
                label={text.common.typeToConfirm(typed)}
                value={entered}
                onChange={(event) => setEntered(event.currentTarget.value)}
                autoComplete="off"
                data-autofocus
              />
            )}
            {error !== null && <ErrorState error={error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {text.common.cancel}
              </Button>
              <Button type="submit" color="red" loading={working} disabled={typed !== undefined && entered !== typed}>
                {confirm}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}

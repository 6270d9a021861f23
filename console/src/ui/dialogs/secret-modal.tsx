import { Modal, type ModalProps } from '@mantine/core';

interface SecretModalProps extends ModalProps {
  /** Whether the dialog currently shows a secret. */
  holdsSecret: boolean;
}

/**
 * A dialog that shows a secret only once. While the secret is visible, only a button in the content closes the dialog: a
 * click outside or Esc would lose the secret.
 */
export function SecretModal({ holdsSecret, ...modal }: SecretModalProps) {
  return (
    <Modal {...modal} closeOnClickOutside={!holdsSecret} closeOnEscape={!holdsSecret} withCloseButton={!holdsSecret} />
  );
}

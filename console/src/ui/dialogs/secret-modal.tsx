import { Modal, type ModalProps } from '@mantine/core';

interface SecretModalProps extends ModalProps {
  /** Whether it shows what is shown once, such as a key: then its own button alone closes it. */
  holdsSecret: boolean;
}

/**
 * A dialog in which a secret is shown once. A stray click beside it, or Esc, would lose it for good: while it is shown, the
 * dialog closes by the button that says so, and by nothing else.
 */
export function SecretModal({ holdsSecret, ...modal }: SecretModalProps) {
  return (
    <Modal {...modal} closeOnClickOutside={!holdsSecret} closeOnEscape={!holdsSecret} withCloseButton={!holdsSecret} />
  );
}

import { Modal, type ModalProps } from '@mantine/core';

interface SecretModalProps extends ModalProps {
  holdsSecret: boolean;
}

/** Ignores outside clicks and Esc while the secret is visible, because the secret is shown only once. */
export function SecretModal({ holdsSecret, ...modal }: SecretModalProps) {
  return (
    <Modal {...modal} closeOnClickOutside={!holdsSecret} closeOnEscape={!holdsSecret} withCloseButton={!holdsSecret} />
  );
}

import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import type { Session } from '../api/session.js';
import { text } from '../text/en.js';
import { Icon } from '../ui/basics/icons.js';
import { ButtonLink } from '../ui/basics/links.js';
import { useSession } from './session.js';

const words = text.noWayBack;

/** Returns whether the operator signed in with a one-time link and has neither a password nor a connected issuer. */
export function cannotSignInAgain(session: Session | null): boolean {
  return session !== null && session.way === 'link' && !session.operator.hasPassword && !session.operator.hasOidc;
}

export function PasswordNeededAlert() {
  const session = useSession();
  const { pathname } = useLocation();
  if (!cannotSignInAgain(session)) return null;
  return (
    <Alert color="yellow" variant="light" title={words.title} icon={<Icon name="warning" />} mb="lg">
      <Group justify="space-between">
        <Text size="sm">{words.why}</Text>
        {!pathname.endsWith('/me') && (
          <ButtonLink to="/me" size="xs">
            {words.set}
          </ButtonLink>
        )}
      </Group>
    </Alert>
  );
}

interface SignOutWithoutPasswordProps {
  opened: boolean;
  onClose(): void;
  onLeave(): void;
}

export function SignOutWithoutPassword({ opened, onClose, onLeave }: SignOutWithoutPasswordProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={words.leaveTitle}>
      <Stack>
        <Text size="sm">{words.leaveWhy}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onLeave}>
            {words.leave}
          </Button>
          <ButtonLink to="/me" onClick={onClose} data-autofocus>
            {words.set}
          </ButtonLink>
        </Group>
      </Stack>
    </Modal>
  );
}

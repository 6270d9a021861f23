import { Divider, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { createSignInLink, type Operator, resetOperator, switchOperator } from '../../api/operators/operators.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { SwitchButton } from '../../ui/dialogs/switch-button.js';
import { notify } from '../../ui/feedback/notices.js';
import { TimeText } from '../../ui/values/time-text.js';
import type { NewLink } from './link-dialog.js';
import { RemoveOperator } from './remove-operator.js';
import { RolesPart } from './roles-part.js';

const words = text.operators;

interface OperatorDrawerProps {
  /** Null closes the drawer. */
  operator: Operator | null;
  mayChange: boolean;
  onClose(): void;
  onLink(newLink: NewLink): void;
}

export function OperatorDrawer({ operator, onClose, ...props }: OperatorDrawerProps) {
  return (
    <Drawer.Root opened={operator !== null} onClose={onClose} position="right">
      <Drawer.Overlay />
      <Drawer.Content>
        {/* Without this role, screen readers would treat the drawer's header as a second page banner. */}
        <Drawer.Header role="presentation">
          <Drawer.Title>{operator?.name}</Drawer.Title>
          <Drawer.CloseButton aria-label={text.common.close} />
        </Drawer.Header>
        <Drawer.Body>{operator && <Details key={operator.id} {...props} operator={operator} />}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

type DetailsProps = Omit<OperatorDrawerProps, 'operator' | 'onClose'> & { operator: Operator };

function Details({ operator, mayChange, onLink }: DetailsProps) {
  const { id, createdAt, lastSignedInAt } = operator;
  return (
    <Stack>
      <Text size="sm">
        {words.created} <TimeText value={createdAt} />
        <br />
        {words.lastSignIn} <TimeText value={lastSignedInAt} none={text.common.never} />
      </Text>
      <TextLink size="sm" to="/installation/audit" search={{ subject: id }}>
        {words.audit}
      </TextLink>
      <Divider />
      <RolesPart operator={operator} mayChange={mayChange} />
      {mayChange && (
        <>
          <Divider />
          <Access operator={operator} onLink={onLink} />
        </>
      )}
    </Stack>
  );
}

function Access({ operator: { id, name, isActive }, onLink }: { operator: Operator; onLink(newLink: NewLink): void }) {
  const switchThisOperator = async (isOn: boolean) => {
    await switchOperator(id, isOn);
    notify(isOn ? words.switchedOn(name) : words.switchedOff(name));
  };
  const showLinkFrom = (create: typeof createSignInLink) => async () => onLink({ name, link: await create(id) });
  return (
    <Stack gap="sm">
      <Title order={3} fz="md">
        {words.access}
      </Title>
      <Group gap="xs">
        {isActive && (
          <ConfirmButton size="xs" {...words.newLinkQuestion(name)} onConfirm={showLinkFrom(createSignInLink)}>
            {words.newLink}
          </ConfirmButton>
        )}
        <ConfirmButton size="xs" {...words.resetQuestion(name)} onConfirm={showLinkFrom(resetOperator)}>
          {words.reset}
        </ConfirmButton>
        <SwitchButton isOn={isActive} name={name} words={words} onSwitch={switchThisOperator} />
        <RemoveOperator id={id} name={name} />
      </Group>
    </Stack>
  );
}

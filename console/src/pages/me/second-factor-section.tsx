import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { endSecondFactor, renewRecoveryCodes } from '../../api/operators/me.js';
import type { Session } from '../../api/session.js';
import { text } from '../../text/en.js';
import { Section } from '../../ui/layout/section.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { CodeDialog } from './code-dialog.js';
import { SetUpSecondFactor } from './set-up-second-factor.js';

export function SecondFactorSection({ operator }: { operator: Session['operator'] }) {
  const [settingUp, setUp] = useDisclosure();
  const [renewing, renew] = useDisclosure();
  const [ending, end] = useDisclosure();
  return (
    <Section title={text.me.secondFactor} lead={text.me.secondFactorHint}>
      <Group gap="sm">
        <StatusBadge
          status={operator.hasSecondFactor ? 'active' : 'disabled'}
          label={operator.hasSecondFactor ? text.me.secondFactorOn : text.me.secondFactorOff}
        />
        {operator.hasSecondFactor && <Text size="sm">{text.me.codesLeft(operator.recoveryCodesLeft)}</Text>}
      </Group>
      <Group gap="xs">
        {operator.hasSecondFactor ? (
          <>
            <Button variant="default" onClick={renew.open}>
              {text.me.codesRenew}
            </Button>
            <Button variant="default" onClick={end.open}>
              {text.me.secondFactorEnd}
            </Button>
          </>
        ) : (
          <Button onClick={setUp.open}>{text.me.secondFactorSetUp}</Button>
        )}
      </Group>
      <SetUpSecondFactor opened={settingUp} onClose={setUp.close} />
      <CodeDialog
        opened={renewing}
        onClose={renew.close}
        title={text.me.codesRenew}
        consequence={text.me.codesRenewHint}
        onCode={async (code) => (await renewRecoveryCodes(code)).recoveryCodes}
      />
      <CodeDialog
        opened={ending}
        onClose={end.close}
        title={text.me.secondFactorEnd}
        consequence={text.me.secondFactorEndHint}
        isDestructive
        onCode={async (code) => {
          await endSecondFactor(code);
          return null;
        }}
      />
    </Section>
  );
}

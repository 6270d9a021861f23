import { Button, Code, Group } from '@mantine/core';
import { useState } from 'react';
import { type AccountSettings, cancelWaiting, changeAccount } from '../../api/installation/accounts.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { SwitchButton } from '../../ui/dialogs/switch-button.js';
import { notify } from '../../ui/feedback/notices.js';
import { Section } from '../../ui/layout/section.js';
import { Facts } from '../../ui/tables/facts.js';
import { Money } from '../../ui/values/numbers.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { CreditDialog } from './credit-dialog.js';

const words = text.accountSettings;

export function FundsSection({ account }: { account: AccountSettings }) {
  const { id, name, balance, currency, rateCard, isActive, createdAt } = account;
  const canChange = useCan('owner', 'installation');
  return (
    <Section title={name} actions={canChange && <Actions account={account} />}>
      <Facts
        facts={[
          [words.balance, <Money key="balance" amount={balance} currency={currency} />],
          [words.rateCard, `${rateCard} (${currency})`],
          [
            words.state,
            <StatusBadge
              key="state"
              status={isActive ? 'active' : 'disabled'}
              label={isActive ? text.accounts.on : text.accounts.off}
            />,
          ],
          [words.created, <TimeText key="created" value={createdAt} />],
          [words.id, <Code key="id">{id}</Code>],
        ]}
      />
    </Section>
  );
}

function Actions({ account }: { account: AccountSettings }) {
  const { id, name, isActive } = account;
  const [booking, setBooking] = useState<'credit' | 'correction' | null>(null);
  const switchAccount = async (isOn: boolean) => {
    await changeAccount(id, { isActive: isOn });
    notify(isOn ? words.switchedOn : words.switchedOff);
  };
  return (
    <Group gap="xs">
      <Button size="xs" onClick={() => setBooking('credit')}>
        {words.addCredit}
      </Button>
      <Button size="xs" variant="default" onClick={() => setBooking('correction')}>
        {words.reverseCredit}
      </Button>
      <SwitchButton isOn={isActive} name={name} words={words} onSwitch={switchAccount} />
      <ConfirmButton
        size="xs"
        {...words.cancelWaitingQuestion(name)}
        onConfirm={async () => notify(words.canceledWaiting(await cancelWaiting(id)))}
      >
        {words.cancelWaiting}
      </ConfirmButton>
      {booking && <CreditDialog kind={booking} account={account} onClose={() => setBooking(null)} />}
    </Group>
  );
}

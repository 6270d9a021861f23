import { Button, Code, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type AccountSettings, changeAccount, creditAccount } from '../../api/accounts.js';
import { useCan } from '../../app/session.js';
import { text } from '../../text/en.js';
import { Facts } from '../../ui/facts.js';
import { FormDialog } from '../../ui/form-dialog.js';
import { notify } from '../../ui/notices.js';
import { formatMoney, Money } from '../../ui/numbers.js';
import { Section } from '../../ui/section.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { SwitchButton } from '../../ui/switch-button.js';
import { TimeText } from '../../ui/time-text.js';

const words = text.accountSettings;

/** What an account has and is, with what the operators of the installation do about it. */
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
  const [crediting, setCrediting] = useState(false);
  const switchTo = async (to: boolean) => {
    await changeAccount(id, { isActive: to });
    notify(to ? words.switchedOn : words.switchedOff);
  };
  return (
    <Group gap="xs">
      <Button size="xs" onClick={() => setCrediting(true)}>
        {words.addCredit}
      </Button>
      <SwitchButton
        isOn={isActive}
        words={{ on: words.switchOn, off: words.switchOff }}
        title={words.switchOffTitle(name)}
        consequence={words.switchOffConsequence}
        confirm={words.switchOffConfirm}
        onSwitch={switchTo}
      />
      {crediting && <CreditDialog account={account} onClose={() => setCrediting(false)} />}
    </Group>
  );
}

function CreditDialog({ account: { id, currency }, onClose }: { account: AccountSettings; onClose(): void }) {
  const [amount, setAmount] = useState('');
  const [note, setNote] = useState('');
  const submit = async () => {
    const made = await creditAccount(id, { amount: amount.trim(), note });
    notify(words.credited(formatMoney(made.amount, currency), formatMoney(made.balance, currency)));
  };
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={words.addCredit}
      submit={words.addCredit}
      fields={['amount', 'note']}
      onSubmit={submit}
    >
      {(problem) => (
        <>
          <TextInput
            label={words.amount}
            description={words.amountHint(currency)}
            required
            inputMode="decimal"
            autoComplete="off"
            value={amount}
            error={problem('amount')}
            onChange={(event) => setAmount(event.currentTarget.value)}
            data-autofocus
          />
          <TextInput
            label={words.note}
            description={words.noteHint}
            autoComplete="off"
            value={note}
            error={problem('note')}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}

import { Button, Group, NativeSelect, Stack, TagsInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { problemOf } from '../../api/asking/request.js';
import { type AccountSettings, changeAccount, changeOwnSettings } from '../../api/installation/accounts.js';
import { ratesQuery } from '../../api/installation/rates.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { TextField } from '../../ui/forms/text-field.js';
import { Section } from '../../ui/layout/section.js';
import { Facts } from '../../ui/tables/facts.js';
import { Money } from '../../ui/values/numbers.js';

const words = text.accountSettings;

/** What is set of an account: forms for those who may change it, facts for the others. */
export function SettingsSection({ account }: { account: AccountSettings }) {
  const { lowBalance, senderIds, currency, rateCard } = account;
  const ownsAccount = useCan('owner');
  const ownsInstallation = useCan('owner', 'installation');
  const low = lowBalance === null ? words.never : <Money amount={lowBalance} currency={currency} />;
  const senders = senderIds.length === 0 ? words.anySender : senderIds.join(', ');
  return (
    <Section title={words.settings}>
      <Stack gap="lg" maw={560}>
        {ownsAccount ? <LowBalanceForm account={account} /> : <Facts facts={[[words.lowBalance, low]]} />}
        {ownsInstallation ? (
          <InstallationForm account={account} />
        ) : (
          <Facts
            facts={[
              [words.senderIds, senders],
              [words.rateCard, rateCard],
            ]}
          />
        )}
      </Stack>
    </Section>
  );
}

function LowBalanceForm({ account: { id, lowBalance, currency } }: { account: AccountSettings }) {
  const [amount, setAmount] = useState(lowBalance ?? '');
  return (
    <SettingForm save={() => changeOwnSettings(id, { lowBalance: amount.trim() === '' ? null : amount.trim() })}>
      {(error) => (
        <TextField
          label={words.lowBalance}
          description={words.lowBalanceHint(currency)}
          inputMode="decimal"
          value={amount}
          error={problemOf(error, 'lowBalance')}
          onChange={setAmount}
        />
      )}
    </SettingForm>
  );
}

function InstallationForm({ account }: { account: AccountSettings }) {
  const { data: cards = [] } = useQuery(ratesQuery);
  const [senderIds, setSenderIds] = useState(account.senderIds);
  const [rateCard, setRateCard] = useState(account.rateCard);
  // An account keeps its currency.
  const possible = cards.filter(({ currency }) => currency === account.currency).map(({ id }) => id);
  return (
    <SettingForm save={() => changeAccount(account.id, { senderIds, rateCard })}>
      {(error) => (
        <Stack>
          <TagsInput
            label={words.senderIds}
            description={words.senderIdsHint}
            value={senderIds}
            onChange={setSenderIds}
            error={problemOf(error, 'sender') ?? problemOf(error, 'senders')}
          />
          <NativeSelect
            label={words.rateCard}
            data={possible.length > 0 ? possible : [account.rateCard]}
            value={rateCard}
            onChange={(event) => setRateCard(event.currentTarget.value)}
            error={problemOf(error, 'rateCard')}
          />
        </Stack>
      )}
    </SettingForm>
  );
}

/** A form on the page itself: it says when it is saved, and why it is not. */
function SettingForm({ save, children }: { save(): Promise<unknown>; children(error: unknown): ReactNode }) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      await save();
      notify(words.saved);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="sm">
        {children(error)}
        {error && <ErrorState error={error} />}
        <Group>
          <Button type="submit" variant="default" size="xs" loading={isPending}>
            {text.common.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

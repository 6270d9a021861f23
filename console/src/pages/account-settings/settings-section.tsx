import { Button, Group, NativeSelect, Stack, TagsInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { findFieldProblem } from '../../api/client/request.js';
import { type AccountSettings, changeAccount, changeOwnSettings } from '../../api/installation/accounts.js';
import { ratesQuery } from '../../api/installation/rates.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { TextField } from '../../ui/forms/text-field.js';
import { useFieldEdits } from '../../ui/forms/use-field-edits.js';
import { Section } from '../../ui/layout/section.js';
import { Facts } from '../../ui/tables/facts.js';
import { Money } from '../../ui/values/numbers.js';

const words = text.accountSettings;

export function SettingsSection({ account }: { account: AccountSettings }) {
  const { lowBalance, senderIds, currency, rateCard, defaultCountry, optOutLine, stopScope, frequencyCap } = account;
  const ownsAccount = useCan('owner');
  const ownsInstallation = useCan('owner', 'installation');
  const lowBalanceText = lowBalance === null ? words.never : <Money amount={lowBalance} currency={currency} />;
  const senders = senderIds.length === 0 ? words.anySender : senderIds.join(', ');
  return (
    <Section title={words.settings}>
      <Stack gap="lg" maw={560}>
        {ownsAccount ? (
          <>
            <LowBalanceForm account={account} />
            <OptOutLineForm account={account} />
            <StopScopeForm account={account} />
            <FrequencyCapForm account={account} />
          </>
        ) : (
          <Facts
            facts={[
              [words.lowBalance, lowBalanceText],
              [words.optOutLine, optOutLine ?? words.never],
              [words.stopScope, words.stopScopes[stopScope]],
              [
                words.frequencyCap,
                frequencyCap
                  ? words.frequencyCapText(frequencyCap.messages, words.frequencyCapSpans[frequencyCap.days])
                  : words.never,
              ],
            ]}
          />
        )}
        {ownsInstallation ? (
          <InstallationForm account={account} />
        ) : (
          <Facts
            facts={[
              [words.senderIds, senders],
              [words.rateCard, rateCard],
              [words.defaultCountry, defaultCountry ?? words.never],
            ]}
          />
        )}
      </Stack>
    </Section>
  );
}

function LowBalanceForm({ account: { id, lowBalance, currency } }: { account: AccountSettings }) {
  const { values, changes, isChanged, set, settle } = useFieldEdits({ amount: lowBalance ?? '' });
  const save = async () => {
    const amount = values.amount.trim();
    await changeOwnSettings(id, { lowBalance: amount === '' ? null : amount });
    settle(changes);
  };
  return (
    <SettingForm isChanged={isChanged} save={save}>
      {(error) => (
        <TextField
          label={words.lowBalance}
          description={words.lowBalanceHint(currency)}
          inputMode="decimal"
          value={values.amount}
          error={findFieldProblem(error, 'lowBalance')}
          onChange={(amount) => set('amount', amount)}
        />
      )}
    </SettingForm>
  );
}

function OptOutLineForm({ account: { id, optOutLine } }: { account: AccountSettings }) {
  const { values, changes, isChanged, set, settle } = useFieldEdits({ line: optOutLine ?? '' });
  const save = async () => {
    const line = values.line.trim();
    await changeOwnSettings(id, { optOutLine: line === '' ? null : line });
    settle(changes);
  };
  return (
    <SettingForm isChanged={isChanged} save={save}>
      {(error) => (
        <TextField
          label={words.optOutLine}
          description={words.optOutLineHint}
          value={values.line}
          error={findFieldProblem(error, 'optOutLine')}
          onChange={(line) => set('line', line)}
        />
      )}
    </SettingForm>
  );
}

function StopScopeForm({ account: { id, stopScope } }: { account: AccountSettings }) {
  const { values, changes, isChanged, set, settle } = useFieldEdits({ stopScope });
  const save = async () => {
    await changeOwnSettings(id, changes);
    settle(changes);
  };
  return (
    <SettingForm isChanged={isChanged} save={save}>
      {() => (
        <NativeSelect
          label={words.stopScope}
          description={words.stopScopeHint}
          data={[
            { value: 'all', label: words.stopScopes.all },
            { value: 'marketing', label: words.stopScopes.marketing },
          ]}
          value={values.stopScope}
          onChange={(event) => set('stopScope', event.currentTarget.value === 'marketing' ? 'marketing' : 'all')}
        />
      )}
    </SettingForm>
  );
}

function FrequencyCapForm({ account: { id, frequencyCap } }: { account: AccountSettings }) {
  const { values, changes, isChanged, set, settle } = useFieldEdits({
    messages: String(frequencyCap?.messages ?? ''),
    days: String(frequencyCap?.days ?? 1),
  });
  const save = async () => {
    const messages = values.messages.trim();
    const days = values.days === '7' ? 7 : 1;
    await changeOwnSettings(id, { frequencyCap: messages === '' ? null : { messages: Number(messages), days } });
    settle(changes);
  };
  return (
    <SettingForm isChanged={isChanged} save={save}>
      {(error) => (
        <>
          <TextField
            label={words.frequencyCap}
            description={words.frequencyCapHint}
            inputMode="numeric"
            value={values.messages}
            error={findFieldProblem(error, 'frequencyCap.messages')}
            onChange={(messages) => set('messages', messages)}
          />
          <NativeSelect
            label={words.frequencyCapDays}
            data={[
              { value: '1', label: words.frequencyCapSpans[1] },
              { value: '7', label: words.frequencyCapSpans[7] },
            ]}
            value={values.days}
            onChange={(event) => set('days', event.currentTarget.value)}
          />
        </>
      )}
    </SettingForm>
  );
}

function InstallationForm({ account }: { account: AccountSettings }) {
  const { data: cards = [] } = useQuery(ratesQuery);
  const { senderIds, rateCard } = account;
  const { values, changes, isChanged, set, settle } = useFieldEdits({
    senderIds,
    rateCard,
    defaultCountry: account.defaultCountry ?? '',
  });
  // Only rate cards in the account's currency are offered, because an account's currency cannot change.
  const matchingCards = cards.filter(({ currency }) => currency === account.currency).map(({ id }) => id);
  const save = async () => {
    const { defaultCountry, ...otherChanges } = changes;
    const country = defaultCountry?.trim().toUpperCase();
    await changeAccount(account.id, {
      ...otherChanges,
      ...(country !== undefined && { defaultCountry: country || null }),
    });
    settle(changes);
  };
  return (
    <SettingForm isChanged={isChanged} save={save}>
      {(error) => (
        <Stack>
          <TagsInput
            label={words.senderIds}
            description={words.senderIdsHint}
            value={values.senderIds}
            onChange={(next) => set('senderIds', next)}
            error={findFieldProblem(error, 'sender') ?? findFieldProblem(error, 'senders')}
          />
          <NativeSelect
            label={words.rateCard}
            data={matchingCards.length > 0 ? matchingCards : [account.rateCard]}
            value={values.rateCard}
            onChange={(event) => set('rateCard', event.currentTarget.value)}
            error={findFieldProblem(error, 'rateCard')}
          />
          <TextField
            label={words.defaultCountry}
            description={words.defaultCountryHint}
            value={values.defaultCountry}
            error={findFieldProblem(error, 'defaultCountry')}
            onChange={(next) => set('defaultCountry', next)}
          />
        </Stack>
      )}
    </SettingForm>
  );
}

interface SettingFormProps {
  isChanged: boolean;
  save(): Promise<unknown>;
  children(error: unknown): ReactNode;
}

function SettingForm({ isChanged, save, children }: SettingFormProps) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      await save();
      notify(words.saved);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && !isPending) mutate();
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="sm">
        {children(error)}
        {error && <ErrorState error={error} />}
        <Group>
          <Button type="submit" variant="default" size="xs" loading={isPending} disabled={!isChanged}>
            {text.common.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createAccount } from '../../api/installation/accounts.js';
import { ratesQuery } from '../../api/installation/rates.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { TextField } from '../../ui/forms/text-field.js';

const words = text.accounts;

/** Makes an account, and leads to where it gets its credit. */
export function NewAccountDialog({ onClose }: { onClose(): void }) {
  const { data: cards = [] } = useQuery(ratesQuery);
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [rateCard, setRateCard] = useState('standard');
  const submit = async () => {
    const { id } = await createAccount({ name, rateCard });
    notify(words.created(name.trim()));
    await navigate({ to: '/a/$accountId/settings', params: { accountId: id } });
  };
  return (
    <FormDialog onClose={onClose} title={words.add} fields={['name', 'rateCard']} onSubmit={submit}>
      {(problem, field) => (
        <>
          <TextField label={words.name} required data-autofocus {...field('name', name, setName)} />
          <NativeSelect
            label={words.rateCard}
            description={words.rateCardHint}
            data={cards.map(({ id, currency }) => ({ value: id, label: `${id} (${currency})` }))}
            value={rateCard}
            error={problem('rateCard')}
            onChange={(event) => setRateCard(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}

import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../api/client/request.js';
import { accountDefaultsQuery, createAccount } from '../../api/installation/accounts.js';
import { ratesQuery } from '../../api/installation/rates.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { TextField } from '../../ui/forms/text-field.js';
import { CountryField, findDefaultCountry, toCountries } from './country-field.js';

const words = text.accounts;

export function NewAccountDialog({ onClose }: { onClose(): void }) {
  const { data: cards = [] } = useQuery(ratesQuery);
  const { data: defaults } = useQuery(accountDefaultsQuery);
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [rateCard, setRateCard] = useState('standard');
  const [chosenCountry, setChosen] = useState<string | null>();
  // The installation's default values may load only after the form is shown.
  const country = chosenCountry === undefined ? defaults && findDefaultCountry(defaults.countries) : chosenCountry;
  const submit = async () => {
    if (!country) {
      const problem = { field: 'countries', message: words.countryRequired };
      throw new ApiError(400, 'INVALID_REQUEST', problem.message, [problem]);
    }
    const { id } = await createAccount({ name, rateCard, countries: toCountries(country) });
    notify(words.created(name.trim()));
    await navigate({ to: '/a/$accountId/settings', params: { accountId: id } });
  };
  return (
    <FormDialog onClose={onClose} title={words.add} fields={['name', 'countries', 'rateCard']} onSubmit={submit}>
      {(problem, field) => (
        <>
          <TextField label={words.name} required data-autofocus {...field('name', name, setName)} />
          <CountryField
            defaultCountries={defaults?.countries ?? []}
            value={country ?? null}
            error={problem('countries')}
            onChange={setChosen}
          />
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

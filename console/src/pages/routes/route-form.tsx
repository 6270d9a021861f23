import { MultiSelect, NumberInput, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { carriersQuery, carrierTypesQuery } from '../../api/installation/carriers.js';
import { createRoute } from '../../api/installation/routes.js';
import { useSession } from '../../session/session.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { TextField } from '../../ui/forms/text-field.js';

const words = text.routes;

export function NewRouteDialog({ onClose }: { onClose(): void }) {
  const { data: carriers = [] } = useQuery(carriersQuery);
  const { data: types = [] } = useQuery(carrierTypesQuery);
  const accounts = useSession()?.accounts ?? [];
  const [accountId, setAccountId] = useState<string | null>(null);
  const [callingCode, setCallingCode] = useState('');
  const [sender, setSender] = useState('');
  const [chosenCarriers, setChosen] = useState<string[]>([]);
  const [position, setPosition] = useState<number | string>(0);
  const names = carriers
    .filter(
      ({ type, isBuiltIn }) => isBuiltIn || types.find((candidate) => candidate.type === type)?.kinds.includes('sms'),
    )
    .map(({ name }) => name);
  const submit = async () => {
    await createRoute({
      ...(accountId !== null && { accountId }),
      ...(callingCode !== '' && { callingCode: callingCode.replace(/^\+/, '') }),
      ...(sender !== '' && { sender }),
      carriers: chosenCarriers,
      position: Number(position),
    });
    notify(words.created);
  };
  return (
    <FormDialog
      onClose={onClose}
      title={words.add}
      fields={['accountId', 'callingCode', 'sender', 'carriers', 'carrier', 'position']}
      onSubmit={submit}
    >
      {(problem, field) => (
        <>
          <MultiSelect
            label={words.carriers}
            description={words.carriersHint}
            required
            data={names}
            searchable
            value={chosenCarriers}
            onChange={setChosen}
            error={problem('carriers') ?? problem('carrier')}
          />
          <TextField
            label={words.callingCode}
            description={words.callingCodeHint}
            inputMode="numeric"
            {...field('callingCode', callingCode, (value) => setCallingCode(value.trim()))}
          />
          <TextField label={words.sender} description={words.senderHint} {...field('sender', sender, setSender)} />
          <Select
            label={words.account}
            description={words.accountHint}
            data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
            value={accountId}
            onChange={setAccountId}
            clearable
            clearButtonProps={{ 'aria-label': words.accountClear }}
            searchable
            error={problem('accountId')}
          />
          <NumberInput
            label={words.position}
            description={words.positionHint}
            allowDecimal={false}
            value={position}
            onChange={setPosition}
            error={problem('position')}
          />
        </>
      )}
    </FormDialog>
  );
}

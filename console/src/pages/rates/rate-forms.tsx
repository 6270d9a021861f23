import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { createRateCard, type Price, type RateCard, setPrice } from '../../api/installation/rates.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { TextField } from '../../ui/forms/text-field.js';

const words = text.rates;

export function NewRateCardDialog({ onClose }: { onClose(): void }) {
  const [values, setValues] = useState({ id: '', currency: '', sms: '', whatsapp: '' });
  const field = (name: keyof typeof values, problem: (field: string) => string | undefined) => ({
    required: true,
    autoComplete: 'off',
    value: values[name],
    error: problem(name),
    onChange: (event: { currentTarget: { value: string } }) => {
      setValues({ ...values, [name]: event.currentTarget.value });
    },
  });
  const submit = async () => {
    await createRateCard({ ...values, currency: values.currency.toUpperCase() });
    notify(words.created(values.id));
  };
  return (
    <FormDialog
      onClose={onClose}
      title={words.add}
      submit={text.common.create}
      fields={Object.keys(values)}
      onSubmit={submit}
    >
      {(problem) => (
        <>
          <TextInput label={words.id} description={words.idHint} {...field('id', problem)} data-autofocus />
          <TextInput label={words.currency} description={words.currencyHint} {...field('currency', problem)} />
          <TextInput label={words.smsPrice} inputMode="decimal" {...field('sms', problem)} />
          <TextInput label={words.whatsappPrice} inputMode="decimal" {...field('whatsapp', problem)} />
        </>
      )}
    </FormDialog>
  );
}

interface PriceDialogProps {
  card: RateCard;
  /** Price to change, or null to add a price for another country. */
  price: Price | null;
  onClose(): void;
}

export function PriceDialog({ card, price, onClose }: PriceDialogProps) {
  const [kind, setKind] = useState<Price['kind']>(price?.kind ?? 'sms');
  const [callingCode, setCallingCode] = useState(price?.callingCode ?? '');
  const [amount, setAmount] = useState(price?.price ?? '');
  const isDefault = price !== null && price.callingCode === null;
  const submit = async () => {
    await setPrice(card.id, { kind, callingCode: isDefault ? null : callingCode, price: amount });
    notify(words.saved);
  };
  const destination = isDefault ? words.defaultPrice : `+${callingCode}`;
  return (
    <FormDialog
      onClose={onClose}
      title={price === null ? words.priceTo : `${words.kinds[kind]}, ${destination}`}
      submit={text.common.save}
      fields={['callingCode', 'price']}
      onSubmit={submit}
    >
      {(_, field) => (
        <>
          {price === null && (
            <>
              <NativeSelect
                label={words.kind}
                data={Object.entries(words.kinds).map(([value, label]) => ({ value, label }))}
                value={kind}
                onChange={(event) => setKind(event.currentTarget.value as Price['kind'])}
              />
              <TextField
                label={words.callingCode}
                description={words.callingCodeHint}
                required
                inputMode="numeric"
                {...field('callingCode', callingCode, (value) => setCallingCode(value.replace(/^\+/, '').trim()))}
              />
            </>
          )}
          <TextField
            label={`${words.price} (${card.currency})`}
            required
            inputMode="decimal"
            {...field('price', amount, setAmount)}
            data-autofocus
          />
        </>
      )}
    </FormDialog>
  );
}

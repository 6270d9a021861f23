import { useState } from 'react';
import { useSendOnce } from '../../api/client/use-send-once.js';
import { type AccountSettings, correctCredit, creditAccount } from '../../api/installation/accounts.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { TextField } from '../../ui/forms/text-field.js';
import { formatMoney } from '../../ui/values/numbers.js';

const words = text.accountSettings;

interface CreditDialogProps {
  kind: 'credit' | 'correction';
  account: AccountSettings;
  onClose(): void;
}

/** Sends the request with an idempotency key, so that a repetition after a lost response books nothing twice. */
export function CreditDialog({ kind, account: { id, currency }, onClose }: CreditDialogProps) {
  const [amount, setAmount] = useState('');
  const [note, setNote] = useState('');
  const once = useSendOnce();
  const takesBack = kind === 'correction';
  const title = takesBack ? words.reverseCredit : words.addCredit;
  const submit = async () => {
    const body = { amount: amount.trim(), note };
    const booking = await once(body, (key) => (takesBack ? correctCredit : creditAccount)(id, body, key));
    const amounts = [booking.amount.replace(/^-/, ''), booking.balance];
    const [booked, balance] = amounts.map((each) => formatMoney(each, currency));
    notify((takesBack ? words.creditReversed : words.credited)(booked as string, balance as string));
  };
  return (
    <FormDialog onClose={onClose} title={title} fields={['amount', 'note']} onSubmit={submit}>
      {(_, field) => (
        <>
          <TextField
            label={words.amount}
            description={takesBack ? words.reverseCreditHint(currency) : words.amountHint(currency)}
            required
            inputMode="decimal"
            {...field('amount', amount, setAmount)}
            data-autofocus
          />
          <TextField
            label={words.note}
            description={takesBack ? words.reverseCreditNoteHint : words.noteHint}
            required={takesBack}
            {...field('note', note, setNote)}
          />
        </>
      )}
    </FormDialog>
  );
}

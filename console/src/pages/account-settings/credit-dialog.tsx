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

/** Sends the request with an idempotency key, so that repeating it after a lost response does not credit the account twice. */
export function CreditDialog({ kind, account: { id, currency }, onClose }: CreditDialogProps) {
  const [amount, setAmount] = useState('');
  const [note, setNote] = useState('');
  const sendOnce = useSendOnce();
  const isReversal = kind === 'correction';
  const title = isReversal ? words.reverseCredit : words.addCredit;
  const submit = async () => {
    const body = { amount: amount.trim(), note };
    const booking = await sendOnce(body, (key) => (isReversal ? correctCredit : creditAccount)(id, body, key));
    const amounts = [booking.amount.replace(/^-/, ''), booking.balance];
    const [bookedAmount, balance] = amounts.map((value) => formatMoney(value, currency));
    notify((isReversal ? words.creditReversed : words.credited)(bookedAmount as string, balance as string));
  };
  return (
    <FormDialog onClose={onClose} title={title} fields={['amount', 'note']} onSubmit={submit}>
      {(_, field) => (
        <>
          <TextField
            label={words.amount}
            description={isReversal ? words.reverseCreditHint(currency) : words.amountHint(currency)}
            required
            inputMode="decimal"
            {...field('amount', amount, setAmount)}
            data-autofocus
          />
          <TextField
            label={words.note}
            description={isReversal ? words.reverseCreditNoteHint : words.noteHint}
            required={isReversal}
            {...field('note', note, setNote)}
          />
        </>
      )}
    </FormDialog>
  );
}
